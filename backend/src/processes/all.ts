import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { runApp } from '../embedded/run/modes.ts';
import { supervise } from '../embedded/run/supervisor.ts';

await supervise({
  run: runApp,
  listens: true,
  scripts: path.dirname(fileURLToPath(import.meta.url)),
});
