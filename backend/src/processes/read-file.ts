// Reads one file of a stranger and ends. Started by the reader, with limits of its own.
import { main } from '../reading/child/main.ts';

await main();
