// npm run lighthouse: Lighthouse's scores of landing and login.
import path from 'node:path';
import { findChromium } from './chromium.mjs';
import { buildChanged, checkNode, installPackages, root } from './prepare.mjs';
import { runTypeScript } from './run-script.mjs';
import { main } from './terminal.mjs';

await main(async () => {
  checkNode();
  await installPackages();
  await buildChanged();
  const file = path.join(root, 'frontend/e2e/lighthouse.ts');
  const env = { CHROME_PATH: await findChromium() };
  process.exitCode = await runTypeScript(file, process.argv.slice(2), env);
});
