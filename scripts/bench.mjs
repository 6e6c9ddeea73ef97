// npm run bench -- <name> [arguments]: runs a benchmark of docs/performance.md.
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { findChromium } from './chromium.mjs';
import { buildChanged, checkNode, installPackages, root } from './prepare.mjs';
import { runTypeScript } from './run-script.mjs';
import { main, Stop } from './terminal.mjs';

await main(async () => {
  const [name, ...args] = process.argv.slice(2);
  const folder = path.join(root, 'backend/bench');
  const file = path.join(folder, `${name}.ts`);
  if (!name || !existsSync(file)) {
    const names = readdirSync(folder).filter((entry) => entry.endsWith('.ts'));
    throw new Stop(
      `npm run bench -- ${names.map((entry) => path.basename(entry, '.ts')).join(' | ')}`,
    );
  }
  checkNode();
  await installPackages();
  await buildChanged();
  process.exitCode = await runTypeScript(file, args, { CHROME_PATH: await findChromium() });
});
