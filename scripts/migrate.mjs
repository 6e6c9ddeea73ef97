// npm run migrate: runs the migrations of the database of MONGODB_URI and creates its indexes, without starting the product.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { checkNode, installPackages, root } from './prepare.mjs';
import { runTypeScript } from './run-script.mjs';
import { main, Stop } from './terminal.mjs';

await main(async () => {
  checkNode();
  const env = path.join(root, '.env');
  if (existsSync(env)) process.loadEnvFile(env);
  if (!process.env.MONGODB_URI)
    throw new Stop(
      'Set MONGODB_URI to the database to migrate. npm start migrates the embedded one.',
    );
  await installPackages();
  process.exitCode = await runTypeScript(path.join(root, 'backend/src/processes/migrate.ts'), []);
});
