// Checks the import rules of .dependency-cruiser.cjs. A run that reads no files would report no violation, so this also fails when fewer
// modules or imports were read than exist.
import { createRequire } from 'node:module';
import path from 'node:path';
import { cruise } from 'dependency-cruiser';
import { root } from './prepare.mjs';
import { main, Stop } from './terminal.mjs';

const MIN_MODULES = 100;
const MIN_IMPORTS = 200;

const rules = createRequire(import.meta.url)(path.join(root, '.dependency-cruiser.cjs'));

/** The modules under `folder` (with the project's layout) and every import there that breaks a rule. */
export async function cruiseWalls(folder) {
  const { output } = await cruise(['backend/src', 'backend/embedded', 'frontend/src'], {
    ...rules.options,
    baseDir: folder,
    validate: true,
    ruleSet: rules,
  });
  return output;
}

if (process.argv[1] === import.meta.filename) {
  await main(async () => {
    const { modules, summary } = await cruiseWalls(root);
    const imports = modules.flatMap((module) => module.dependencies).length;
    if (modules.length < MIN_MODULES || imports < MIN_IMPORTS) {
      throw new Stop(
        `Only ${modules.length} modules with ${imports} imports were seen: the walls were not checked.`,
      );
    }
    const broken = summary.violations.map(({ rule, from, to }) => {
      const { comment } = rules.forbidden.find(({ name }) => name === rule.name);
      return `${from} → ${to}\n  ${rule.name}: ${comment}`;
    });
    if (broken.length) throw new Stop(broken.join('\n'));
    console.log(`${modules.length} modules, ${imports} imports, no wall broken`);
  });
}
