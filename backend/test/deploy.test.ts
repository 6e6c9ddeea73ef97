import { expect, it } from 'vitest';
import { longText, startStack } from './stack.ts';

const TEXT = longText(60);

it('fault 32: a web process that is asked to stop says so to its proxy, serves on, moves its sockets and ends', async () => {
  const stack = await startStack({ UNREADY_SECONDS: '3', SOCKET_DRAIN_SECONDS: '1' });
  stack.provider.onMessage(/.*/, { content: TEXT });
  const ada = await stack.guest();
  const id = await ada.conversation();
  const tab = await ada.tab(id);
  const ready = async () => (await fetch(`${stack.web.url}/api/health/ready`)).status;
  expect(await ready()).toBe(200);

  stack.web.signal('SIGTERM');
  await expect.poll(ready).toBe(503);
  // A proxy sends requests until its next check; these are answered.
  expect((await ada.send(id, 'Hello')).status).toBe(202);
  expect(tab.socket.connected).toBe(true);
  await expect.poll(() => tab.socket.connected).toBe(false);
  await expect.poll(() => ready().catch(() => 'closed')).toBe('closed');

  // The next process on the same address has everything.
  await stack.web.restart();
  await expect.poll(() => tab.reply.status).toBe('complete');
  expect(tab.reply.text).toBe(TEXT);
});

it('without a worker the web process stays ready, accepts a message, and its reply waits for the next worker', async () => {
  const stack = await startStack();
  stack.provider.onMessage(/.*/, { content: TEXT });
  const ada = await stack.guest();
  const id = await ada.conversation();
  await stack.worker.kill();
  expect((await fetch(`${stack.web.url}/api/health/ready`)).status).toBe(200);
  expect((await ada.send(id, 'Hello')).status).toBe(202);
  expect((await ada.reply(id)).status).toBe('queued');
  expect((await ada.get('/conversations')).status).toBe(200);
  await stack.worker.restart();
  await expect.poll(async () => (await ada.reply(id)).content).toBe(TEXT);
});

it('fault 3: a worker that is asked to stop ends its running reply first, and starts no other', async () => {
  const stack = await startStack({ DRAIN_SECONDS: '60' });
  stack.provider.onMessage(/.*/, { content: TEXT }, { streamingProfile: { tps: 20 } });
  const ada = await stack.guest();
  const id = await ada.conversation();
  const tab = await ada.tab(id);
  await ada.send(id, 'Hello');
  await expect.poll(() => tab.reply.text.length).toBeGreaterThan(20);
  stack.worker.signal('SIGTERM');
  await expect.poll(() => tab.reply.status).toBe('complete');
  expect(tab.reply.text).toBe(TEXT);
  expect(stack.provider.getRequests()).toHaveLength(1);
});
