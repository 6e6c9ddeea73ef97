import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { User } from '../src/contract/auth.ts';
import type { ErrorBody } from '../src/contract/errors.ts';
import type { ReplyUsage, Usage } from '../src/contract/usage.ts';
import { type Connection, connectMongo } from '../src/db/mongo.ts';
import { type ApiClient, longText, type Stack, startStack } from './stack.ts';
import { visitor } from './visitor.ts';

let stack: Stack;
let database: Connection;

beforeAll(async () => {
  stack = await startStack();
  stack.provider.onMessage('slow', { content: longText(400) }, { streamingProfile: { tps: 40 } });
  stack.provider.onMessage(/.*/, { content: longText(5) });
  database = await connectMongo(stack.env.MONGODB_URI ?? '');
});
afterAll(() => database.close());

/** A new subscriber of Starter. */
const subscriber = async (): Promise<{ api: ApiClient; id: string }> => {
  const { api } = await visitor(stack.web.url).member();
  const { id } = (await api.get<User>('/auth/user')).body;
  await database.collection('subscriptions').insertOne({
    ownerId: database.base.Types.ObjectId.createFromHexString(id),
    plan: 'starter',
    status: 'active',
    startedAt: new Date(),
  });
  return { api, id };
};
const usageOf = async (api: ApiClient) => (await api.get<Usage>('/usage')).body;
const setCap = (api: ApiClient, tokensPerDay: unknown) =>
  api.call<Usage & ErrorBody>('PUT', '/usage/cap', { tokensPerDay });
const csvOf = (token?: string) =>
  fetch(`${stack.web.url}/api/usage/ledger.csv`, {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  });
/** Sends a message and waits for the end of the reply. */
const talk = async (api: ApiClient, text = 'Hello') => {
  const conversationId = await api.conversation();
  const { reply } = (await api.send(conversationId, text)).body;
  await expect.poll(async () => (await api.reply(conversationId)).status).toBe('complete');
  return reply.id;
};

it('is read only by its user', async () => {
  const { call } = visitor(stack.web.url);
  for (const path of ['/usage', '/usage/ledger.csv', `/replies/${'a'.repeat(24)}/usage`])
    expect((await call('GET', path)).status).toBe(401);
  expect((await call('PUT', '/usage/cap', { body: { tokensPerDay: 5_000 } })).status).toBe(401);
});

describe('a subscriber', () => {
  it('sees the charge of a reply in the usage, with the account, by reply, and in the CSV', async () => {
    const { api } = await subscriber();
    expect((await api.get<User>('/auth/user')).body.usage).toMatchObject({
      used: 0,
      limit: 200_000,
      resetsAt: expect.stringMatching(/Z$/),
    });
    const replyId = await talk(api);
    const today = new Date().toISOString().slice(0, 10);
    await expect.poll(async () => (await usageOf(api)).kinds.length).toBeGreaterThan(0);
    const usage = await usageOf(api);
    expect(usage).toMatchObject({ limit: 200_000, tokensPerDay: null, usedToday: usage.used });
    expect(usage.days.map(({ tokens }) => tokens)).toEqual([usage.used]);
    expect((await api.get<User>('/auth/user')).body.usage?.used).toBe(usage.used);
    const { body } = await api.get<ReplyUsage>(`/replies/${replyId}/usage`);
    expect(body).toMatchObject({ replyId, entries: [{ kind: 'reply', state: 'settled' }] });
    expect(body.tokens).toBe(usage.used);

    const csv = await csvOf(api.token);
    expect([
      csv.status,
      csv.headers.get('content-type'),
      csv.headers.get('content-disposition'),
    ]).toEqual([200, 'text/csv; charset=utf-8', `attachment; filename=stolas-usage-${today}.csv`]);
    const [, row] = (await csv.text()).split('\r\n');
    expect(row).toContain(`,reply,${replyId},1,settled,`);
    expect(row?.split(',').at(-3)).toBe(String(usage.used));
  });

  it('gets the usage in every tab when a reply has ended, without what it had reserved', async () => {
    const { api } = await subscriber();
    const conversationId = await api.conversation();
    const tab = await api.tab(conversationId);
    const published: number[] = [];
    tab.socket.on('account:changed', ({ usage }) => published.push(usage?.used ?? -1));
    const { reply } = (await api.send(conversationId, 'slow')).body;
    expect((await usageOf(api)).used).toBeGreaterThan(4_000);
    const running = await api.get<ReplyUsage>(`/replies/${reply.id}/usage`);
    expect(running.body).toMatchObject({ tokens: 0, entries: [{ state: 'reserved' }] });
    await api.post(`/replies/${reply.id}/stop`);
    await expect.poll(() => published.length).toBeGreaterThan(0);
    await expect.poll(async () => (await usageOf(api)).used).toBe(published.at(-1));
    expect(Math.max(...published)).toBeLessThan(4_000);
  });

  it('is accepted while any of the own cap per day is left, and then refused until it is changed', async () => {
    const { api } = await subscriber();
    expect((await setCap(api, 1_000)).body).toMatchObject({ tokensPerDay: 1_000 });
    const conversationId = await api.conversation();
    await api.send(conversationId, 'word '.repeat(2_000));
    await expect.poll(async () => (await api.reply(conversationId)).status).toBe('complete');
    // The reply is complete before its tokens are settled; until then it may reserve all that is left.
    await expect.poll(async () => (await usageOf(api)).used).toBeGreaterThan(1_000);
    const refused = await api.send(conversationId, 'word '.repeat(2_000));
    expect([refused.status, refused.body]).toMatchObject([
      402,
      {
        code: 'quota_exceeded',
        message: expect.stringContaining('Change it in Settings'),
        details: { used: expect.any(Number), limit: 1_000, cap: true },
      },
    ]);
    expect((await setCap(api, null)).body).toMatchObject({ tokensPerDay: null });
    expect((await api.send(conversationId, 'word '.repeat(2_000))).status).toBe(202);
  });

  it.each([0, 999, 1_000.5, 1_000_000_001, '5000', undefined])(
    'cannot set a cap of %s',
    async (tokensPerDay) => {
      const { api } = await subscriber();
      const { status, body } = await setCap(api, tokensPerDay);
      expect([status, body]).toMatchObject([
        422,
        { code: 'invalid_field', details: { field: 'tokensPerDay' } },
      ]);
      expect((await usageOf(api)).tokensPerDay).toBeNull();
    },
  );

  it('sees nothing of another user: 404 for their replies, no line in the CSV', async () => {
    const [{ api: anna }, { api: ben }] = [await subscriber(), await subscriber()];
    const replyId = await talk(anna);
    for (const id of [replyId, 'a'.repeat(24), 'no-id']) {
      const { status, body } = await ben.get<ErrorBody>(`/replies/${id}/usage`);
      expect([status, body.code]).toEqual([404, 'not_found']);
    }
    const csv = await csvOf(ben.token);
    expect((await csv.text()).split('\r\n')).toHaveLength(2);
    expect(await usageOf(ben)).toMatchObject({ used: 0, days: [] });
  });
});

it('a guest sees the messages of the demo too', async () => {
  const guest = await stack.guest();
  await talk(guest);
  expect(await usageOf(guest)).toMatchObject({
    limit: 100_000,
    resetsAt: null,
    messages: { used: 1, limit: 20 },
  });
  expect((await setCap(guest, 5_000)).status).toBe(403);
});

it('a guest cannot set a cap', async () => {
  const { status, body } = await setCap(await stack.guest(), 5_000);
  expect([status, body]).toMatchObject([403, { code: 'forbidden' }]);
});
