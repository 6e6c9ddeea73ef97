// npm run build: both halves of the product, whether they have changed or not.
import { buildChanged } from './prepare.mjs';
import { main } from './terminal.mjs';

await main(() => buildChanged({ always: true }));
