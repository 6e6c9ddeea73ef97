// The demo model as a process of the one-machine run: `--port <n>`, key in OPENAI_API_KEY.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { createDemoModel } from '../embedded/model/server.ts';
import { announceReady, onStop } from './child.ts';

const { values } = parseArgs({ options: { port: { type: 'string', default: '0' } } });
const apiKey = process.env.OPENAI_API_KEY;
if (!apiKey) throw new Error('OPENAI_API_KEY is not set: the demo model needs a key to ask for.');

const server = createDemoModel({ apiKey });
server.listen(Number(values.port), '127.0.0.1');
await once(server, 'listening');
onStop(async () => {
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
});
announceReady({ port: (server.address() as AddressInfo).port });
