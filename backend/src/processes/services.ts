import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { runServices } from '../embedded/run/modes.ts';
import { supervise } from '../embedded/run/supervisor.ts';

await supervise({
  run: runServices,
  listens: false,
  scripts: path.dirname(fileURLToPath(import.meta.url)),
});
