import type { Socket as TcpSocket } from 'node:net';
import { expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { User } from '../src/contract/auth.ts';
import { SOCKET_PATH } from '../src/contract/realtime.ts';
import { connectRedis } from '../src/db/redis.ts';
import { createBus } from '../src/realtime/bus.ts';
import { createChannels } from '../src/realtime/channels.ts';
import { INSPECTED, openHeap } from './heap.ts';
import { type ApiClient, startStack } from './stack.ts';

const MEGABYTE = 1024 * 1024;
const TEXT = 'x'.repeat(64 * 1024);
const TOTAL = 120 * MEGABYTE;

/** A client that joins and then stops reading. */
async function stalledClient({ url, token }: ApiClient) {
  const ws = new WebSocket(`${url.replace('http', 'ws')}${SOCKET_PATH}/?EIO=4&transport=websocket`);
  let joined = false;
  let bytesRead = 0;
  ws.on('message', (data: Buffer) => {
    const text = data.toString();
    bytesRead += data.length;
    if (text.startsWith('0')) ws.send(`40${JSON.stringify({ token })}`);
    joined ||= text.startsWith('40');
  });
  ws.on('error', () => undefined);
  await expect.poll(() => joined).toBe(true);
  const tcp = (ws as unknown as { _socket: TcpSocket })._socket;
  tcp.pause();
  return {
    bytesRead: () => bytesRead,
    resume: () => tcp.resume(),
    isClosed: () => ws.readyState === WebSocket.CLOSED,
  };
}

it.runIf(process.platform === 'linux')(
  'fault 9: a tab that stops reading costs the web process less than 10 MB, and the other tab receives everything',
  async () => {
    const stack = await startStack({ LOG_LEVEL: 'info', ...INSPECTED });
    const ada = await stack.guest();
    const { id: userId } = (await ada.get<User>('/auth/user')).body;
    const conversationId = await ada.conversation();
    const reading = await ada.tab(conversationId);
    let received = 0;
    reading.socket.on('conversation:changed', ({ title }) => {
      received += title.length;
    });
    const redis = await connectRedis(stack.redis.url, {
      retry: 'never',
      onError: () => undefined,
    });
    const bus = createBus(createChannels(redis), (error) => {
      throw error;
    });
    const conversation = (await ada.get<{ id: string }>(`/conversations/${conversationId}`)).body;
    let published = 0;
    /** Publishes as fast as the reading tab accepts it. */
    const publish = async (bytes: number) => {
      for (const end = published + bytes; published < end; published += 16 * TEXT.length) {
        const event = { ...conversation, title: TEXT } as never;
        await Promise.all(
          Array.from({ length: 16 }, () => bus.publish(userId, 'conversation:changed', event)),
        );
        await expect.poll(() => received, { interval: 1 }).toBe(published + 16 * TEXT.length);
      }
    };

    // Warms the process up.
    await publish(TOTAL / 4);
    const heap = await openHeap(stack.web);
    const before = await heap();
    const stalled = await stalledClient(ada);
    let highest = 0;
    for (let n = 0; n < 12; n += 1) {
      await publish(TOTAL / 12);
      highest = Math.max(highest, await heap());
    }
    redis.disconnect();
    expect(stack.web.output()).toContain('client does not read');
    expect(highest - before).toBeLessThan(10 * MEGABYTE);
    expect(reading.socket.connected).toBe(true);
    stalled.resume();
    await expect.poll(stalled.isClosed).toBe(true);
    // Later bytes come from buffers of the operating system.
    expect(stalled.bytesRead()).toBeLessThan(TOTAL / 2);
  },
);
