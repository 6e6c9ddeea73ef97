import { runApp } from '../run/modes.ts';
import { supervise } from '../run/supervisor.ts';

await supervise({ run: runApp, listens: true, scripts: import.meta.dirname });
