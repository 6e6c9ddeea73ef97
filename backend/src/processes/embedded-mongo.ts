// The embedded database as a process of the one-machine run: `--dir <folder> --port <n>`.
import { parseArgs } from 'node:util';
import { startEmbeddedMongo } from '../embedded/mongo/server.ts';
import { StartError } from '../embedded/run/start-error.ts';
import { announceReady, onStop } from './child.ts';

const { values } = parseArgs({
  options: { dir: { type: 'string' }, port: { type: 'string', default: '0' } },
});

try {
  if (!values.dir) throw new StartError('The embedded database needs --dir <folder>.');
  const server = await startEmbeddedMongo({
    dir: values.dir,
    port: Number(values.port),
    report: (error) => console.error(error),
  });
  onStop(() => server.close());
  announceReady({ port: server.port });
} catch (error) {
  if (!(error instanceof StartError)) throw error;
  console.error(error.message);
  process.exit(1);
}
