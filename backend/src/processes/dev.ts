import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { runDev } from '../embedded/run/modes.ts';
import { supervise } from '../embedded/run/supervisor.ts';

await supervise({
  run: runDev,
  listens: true,
  scripts: path.dirname(fileURLToPath(import.meta.url)),
});
