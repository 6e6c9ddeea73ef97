// Reads one untrusted file and exits. The reader starts it with its own limits.
import { childTasks } from '../features/child-tasks.ts';
import { main } from '../reading/child/main.ts';

await main(childTasks);
