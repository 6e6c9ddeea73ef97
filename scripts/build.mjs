// npm run build: the product and the embedded services, even if nothing has changed.
import { buildChanged, checkNode, installPackages } from './prepare.mjs';
import { main } from './terminal.mjs';

await main(async () => {
  checkNode();
  await installPackages();
  await buildChanged({ always: true });
});
