// npm run screenshots: runs the journeys, which take pictures of their screens, dark and light, into screenshots/. Arguments are passed to
// vitest: `-- e2e/personas.test.ts`.
import path from 'node:path';
import { root } from './prepare.mjs';
import { loudly, main } from './terminal.mjs';

await main(async () => {
  const args = [path.join(root, 'scripts/test.mjs'), 'e2e', ...process.argv.slice(2)];
  const env = { ...process.env, SCREENSHOTS: 'true' };
  process.exitCode = await loudly(process.execPath, args, { cwd: root, env });
});
