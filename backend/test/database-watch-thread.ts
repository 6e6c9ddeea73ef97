// A thread of its own: the main thread of a test run is too busy for the database of all its processes.
import { parentPort, workerData } from 'node:worker_threads';
import { watchDatabase } from './database-watch.ts';

parentPort?.postMessage(await watchDatabase(String(workerData)));
