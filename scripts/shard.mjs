// npm run shard -- --print: prints the commands that shard the database of a MongoDB cluster.
import path from 'node:path';
import { checkNode, installPackages, root } from './prepare.mjs';
import { runTypeScript } from './run-script.mjs';
import { main, Stop } from './terminal.mjs';

await main(async () => {
  const args = process.argv.slice(2);
  if (args.join() !== '--print')
    throw new Stop('npm run shard -- --print   prints the commands for mongosh');
  checkNode();
  await installPackages();
  process.exitCode = await runTypeScript(path.join(root, 'backend/src/processes/shard.ts'), []);
});
