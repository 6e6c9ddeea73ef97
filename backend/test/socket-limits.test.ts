import { io } from 'socket.io-client';
import { expect, it } from 'vitest';
import { SOCKET_PATH } from '../src/contract/realtime.ts';
import { atEnd } from './at-end.ts';
import { startProcess } from './processes.ts';
import { startStack } from './stack.ts';
import { comeBack } from './tab.ts';

it('an IP address has its sockets on all web processes together, and those of a killed one count no longer', async () => {
  const stack = await startStack({ RATE_LIMITS: 'true', SOCKETS_PER_ADDRESS: '2' });
  const { PORT: _taken, ...env } = stack.env;
  const other = await startProcess('web', { env });
  const guest = await stack.guest();
  const id = await guest.conversation();
  const tabs = [await guest.tab(id), await guest.tab(id)];
  const late = io(other.url, {
    path: SOCKET_PATH,
    transports: ['websocket'],
    auth: { token: guest.token },
    reconnectionDelayMax: 500,
    forceNew: true,
  });
  atEnd(() => late.disconnect());
  // It knows the first process, which started earlier.
  await new Promise((resolve) => {
    late.once('connect_error', resolve);
  });
  comeBack(late);
  await stack.web.kill();
  for (const tab of tabs) tab.close();
  await expect.poll(() => late.connected).toBe(true);
});
