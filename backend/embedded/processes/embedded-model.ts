// The demo model as a process of `npm start`: `--port <n>`; requests must have the key in OPENAI_API_KEY.
import { parseArgs } from 'node:util';
import { createDemoModel } from '../model/server.ts';
import { closeHttp, listen } from '../run/listen.ts';
import { StartError } from '../run/start-error.ts';
import { serve } from './serve.ts';

const { values } = parseArgs({ options: { port: { type: 'string', default: '0' } } });

await serve(async () => {
  const apiKey = process.env.OPENAI_API_KEY;
  if (!apiKey) throw new StartError('The demo model needs OPENAI_API_KEY.');
  const server = createDemoModel({ apiKey });
  return { port: await listen(server, Number(values.port)), close: () => closeHttp(server) };
});
