// The demo model as a process of `npm start`: `--port <n>`; requests must have the key in OPENAI_API_KEY.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { createDemoModel } from '../model/server.ts';
import { StartError } from '../run/start-error.ts';
import { serve } from './serve.ts';

const { values } = parseArgs({ options: { port: { type: 'string', default: '0' } } });

await serve(async () => {
  const apiKey = process.env.OPENAI_API_KEY;
  if (!apiKey) throw new StartError('The demo model needs OPENAI_API_KEY.');
  const server = createDemoModel({ apiKey });
  server.listen(Number(values.port), '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
});
