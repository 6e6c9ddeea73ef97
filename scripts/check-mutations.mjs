// Each mistake of scripts/mutations must fit the code: one that no longer does would test nothing (docs/mutation.md).
import { misfits } from './mutations/patches.mjs';
import { MUTATIONS } from './mutations.mjs';
import { root } from './prepare.mjs';

const problems = misfits(MUTATIONS, root);
for (const name of problems) console.error(`no longer fits: ${name}`);
console.log(`${MUTATIONS.length} mutations, ${problems.length} that no longer fit`);
if (problems.length) process.exitCode = 1;
