import { runDev } from '../run/modes.ts';
import { supervise } from '../run/supervisor.ts';

await supervise({ run: runDev, listens: true, scripts: import.meta.dirname });
