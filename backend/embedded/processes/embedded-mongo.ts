// The embedded database as a process of `npm start`: `--dir <folder> --port <n>`.
import { parseArgs } from 'node:util';
import { startEmbeddedMongo } from '../mongo/server.ts';
import { StartError } from '../run/start-error.ts';
import { serve } from './serve.ts';

const { values } = parseArgs({
  options: { dir: { type: 'string' }, port: { type: 'string', default: '0' } },
});

await serve(async () => {
  if (!values.dir) throw new StartError('The embedded database needs --dir <folder>.');
  return startEmbeddedMongo({
    dir: values.dir,
    port: Number(values.port),
    report: (error) => console.error(error),
  });
});
