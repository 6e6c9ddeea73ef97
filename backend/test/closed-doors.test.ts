import { beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { SOCKET_PATH } from '../src/contract/realtime.ts';
import { connectMongo } from '../src/db/mongo.ts';
import { countTokens } from '../src/llm/index.ts';
import { type ApiClient, longText, type Stack, startStack } from './stack.ts';
import { PASSWORD, visitor } from './visitor.ts';

// Real web and worker processes. The socket of an ended session is closed within 5 s, as promised.
const TEXT = longText(300);
const GUEST_TOKENS = 20_000;
/** 20 of these exceed the demo's quota. */
const LONG = longText(600);

let stack: Stack;

beforeAll(async () => {
  stack = await startStack({ GUEST_TOKENS: String(GUEST_TOKENS) });
  stack.provider
    .onMessage('hang', { content: TEXT }, { streamingProfile: { ttft: 60_000 } })
    .onMessage('Question', { content: LONG })
    .onMessage(/.*/, { content: TEXT });
});

/** A client below Socket.IO: it joins and answers pings, and ignores everything else. */
async function rawClient({ token }: Pick<ApiClient, 'token'>) {
  const address = `${stack.web.url.replace('http', 'ws')}${SOCKET_PATH}/?EIO=4&transport=websocket`;
  const ws = new WebSocket(address);
  const received: string[] = [];
  ws.on('message', (data: Buffer) => {
    const text = data.toString();
    received.push(text);
    if (text.startsWith('0')) ws.send(`40${JSON.stringify({ token })}`);
    if (text === '2') ws.send('3');
  });
  ws.on('error', () => undefined);
  await expect.poll(() => received.some((text) => text.startsWith('40'))).toBe(true);
  return { ws, received, isClosed: () => ws.readyState === WebSocket.CLOSED };
}

describe.each([
  ['that stays in its namespace', false],
  ['that leaves its namespace and keeps answering pings', true],
])('a live socket %s is closed', (_, leaves) => {
  const ENDS: Record<string, (owner: ApiClient, other: ApiClient) => Promise<unknown>> = {
    'sign-out': (owner) => owner.post('/auth/signout'),
    'sign-out everywhere, from another browser': (_owner, other) =>
      other.call('DELETE', '/auth/sessions'),
    'another password, set in another browser': (_owner, other) =>
      other.post('/auth/password', {
        currentPassword: PASSWORD,
        newPassword: 'yet another one 77',
      }),
    'the deletion of the account': (_owner, other) =>
      other.call('DELETE', '/auth/user', { currentPassword: PASSWORD }),
  };

  it.each(Object.entries(ENDS))('after %s', async (_what, end) => {
    const us = visitor(stack.web.url);
    const { email, api } = await us.member();
    const other = us.as((await us.signIn(email)).body.token);
    const client = await rawClient(api);
    if (leaves) client.ws.send('41');
    await end(api, other);
    await expect.poll(client.isClosed).toBe(true);
    expect((await api.get('/auth/user')).status).toBe(401);
  });
});

describe("a guest's quota", () => {
  const openUsage = async () => {
    const connection = await connectMongo(stack.env.MONGODB_URI ?? '');
    const sums = async () => {
      const users = await connection.collection('usage_periods').find({}).toArray();
      return users.at(-1) ?? { settledTokens: 0, messages: 0, running: 0 };
    };
    return { sums, close: () => connection.close() };
  };

  it('is charged the prompt when the reply is stopped before its first token', async () => {
    const ada = await stack.guest();
    const id = await ada.conversation();
    const before = stack.provider.getRequests().length;
    await ada.send(id, `hang ${'owl '.repeat(200)}`);
    await expect.poll(() => stack.provider.getRequests().length).toBe(before + 1);
    const { id: replyId } = await ada.reply(id);
    await ada.post(`/replies/${replyId}/stop`);
    await expect.poll(async () => (await ada.reply(id)).status).toBe('stopped');
    const usage = await openUsage();
    await expect.poll(async () => (await usage.sums()).settledTokens).toBeGreaterThan(200);
    await usage.close();
  });

  it('of 20 parallel conversations is overspent by one reply at most', async () => {
    const ada = await stack.guest();
    const ids = await Promise.all(Array.from({ length: 20 }, () => ada.conversation()));
    let refusedForNow = 0;
    /** Sends until the message is accepted or the demo is used up. */
    const insist = async (id: string, n: number): Promise<boolean> => {
      let status = 0;
      const send = async () => {
        ({ status } = await ada.send(id, `Question ${n}`));
        if (status === 429) refusedForNow += 1;
        return status;
      };
      await expect.poll(send, { interval: 250 }).not.toBe(429);
      return status === 202;
    };
    const accepted = await Promise.all(ids.map(insist));
    const usage = await openUsage();
    await expect.poll(async () => (await usage.sums()).running).toBe(0);
    const { settledTokens, messages } = await usage.sums();
    await usage.close();
    // The provider of this test exceeds the requested maximum length.
    const longest = (await countTokens(LONG)) + 100;
    expect(settledTokens).toBeLessThanOrEqual(GUEST_TOKENS + longest);
    expect(settledTokens).toBeGreaterThanOrEqual(GUEST_TOKENS);
    expect(messages).toBe(accepted.filter(Boolean).length);
    expect(messages).toBeLessThan(20);
    expect(refusedForNow).toBeGreaterThan(0);
  });
});
