import { once } from 'node:events';
import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { expect, it } from 'vitest';
import { freePort, requireFreePort } from './ports.ts';

const own = Object.values(networkInterfaces()).flatMap((all = []) => all);
const loopback = ['127.0.0.1', '::1'].filter((one) => own.some(({ address }) => address === one));

it.each(loopback)('refuses a port that another program uses at %s', async (address) => {
  const port = await freePort();
  await requireFreePort(port, '127.0.0.1');
  const other = createServer().listen(port, address);
  await once(other, 'listening');
  await expect(requireFreePort(port, '127.0.0.1')).rejects.toThrow(`Port ${port} is in use.`);
  other.close();
  await once(other, 'close');
  await requireFreePort(port, '127.0.0.1');
});
