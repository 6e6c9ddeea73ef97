// npm run build: the product and the embedded services, whether they have changed or not.
import { buildChanged } from './prepare.mjs';
import { main } from './terminal.mjs';

await main(() => buildChanged({ always: true }));
