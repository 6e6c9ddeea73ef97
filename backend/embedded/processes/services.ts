import { runServices } from '../run/modes.ts';
import { supervise } from '../run/supervisor.ts';

await supervise({ run: runServices, listens: false, scripts: import.meta.dirname });
