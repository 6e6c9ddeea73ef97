// The balancer of `npm start -- --web 2` as a process: `--host <address> --port <n>`, and `--to <n>` for the port of each web process.
import { parseArgs } from 'node:util';
import { createBalancer } from '../run/balancer.ts';
import { listen } from '../run/listen.ts';
import { serve } from './serve.ts';

const { values } = parseArgs({
  options: {
    host: { type: 'string', default: '127.0.0.1' },
    port: { type: 'string', default: '0' },
    to: { type: 'string', multiple: true, default: [] },
  },
});

await serve(async () => {
  const { server, close } = createBalancer(values.to.map(Number));
  return { port: await listen(server, Number(values.port), values.host), close };
});
