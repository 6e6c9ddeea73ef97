import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from 'vitest';
import type { DemoAllowance, User } from '../src/contract/auth.ts';
import type { CreatedConversation } from '../src/contract/conversations.ts';
import type { ErrorBody } from '../src/contract/errors.ts';
import type { ReplyUsage, Usage } from '../src/contract/usage.ts';
import { connectMongo } from '../src/db/mongo.ts';
import { countPromptTokens, countTokens } from '../src/llm/index.ts';
import { listen } from './listen.ts';
import { type ApiClient, type Stack, startStack } from './stack.ts';
import { visitor } from './visitor.ts';

/** Ordinary English of 3 KB. */
const ANSWER = 'Owls turn their heads by up to 270 degrees, since their eyes do not move. '
  .repeat(42)
  .slice(0, 3_000);

interface Asked {
  stream?: boolean;
  max_tokens?: number;
  messages: { role: 'user' | 'assistant'; content: string }[];
}

let stack: Stack;
/** The requests for replies at the provider. */
const asked: Asked[] = [];

/** The remainder of a plan's 200,000 tokens after the reply to 'expensive'. */
const LEFT = 650;

/**
 * A provider that answers 3 KB, or less within a lower limit, and counts tokens. After 'cached', the whole prompt counts as cached;
 * 'expensive' costs nearly a whole plan.
 */
/** The answer to 'held' waits for it. */
let release = (): void => undefined;
const held = new Promise<void>((resolve) => {
  release = resolve;
});
const provider = createServer((request, response) => void answer(request, response));

async function answer(request: IncomingMessage, response: ServerResponse) {
  const body = (await json(request)) as Asked;
  const prompt = await countPromptTokens(body.messages);
  const question = body.messages.at(-1)?.content;
  const isCached = question === 'cached';
  const send = (content: string, finish: string, completion: number) => {
    const choice = { index: 0, finish_reason: finish };
    const usage = {
      prompt_tokens: question === 'expensive' ? 200_000 - LEFT - completion : prompt,
      completion_tokens: completion,
      prompt_tokens_details: { cached_tokens: isCached ? prompt : 0 },
    };
    if (!body.stream)
      return response.end(
        JSON.stringify({ choices: [{ ...choice, message: { content } }], usage }),
      );
    response.setHeader('content-type', 'text/event-stream');
    for (const event of [{ choices: [{ ...choice, delta: { content } }] }, { choices: [], usage }])
      response.write(`data: ${JSON.stringify(event)}\n\n`);
    return response.end('data: [DONE]\n\n');
  };
  // Background calls return no result.
  if (!body.stream) return send('{"ops":[]}', 'stop', 5);
  asked.push(body);
  if (question === 'held') await held;
  const tokens = await countTokens(ANSWER);
  const { max_tokens: most = tokens } = body;
  if (most >= tokens) return send(ANSWER, 'stop', tokens);
  return send(ANSWER.slice(0, Math.floor((ANSWER.length * most) / tokens)), 'length', most);
}

beforeAll(async () => {
  stack = await startStack({ OPENAI_BASE_URL: `${await listen(provider)}/v1` });
});

const promptOf = () => asked.at(-1)?.messages ?? [];
const demoOf = async (api: ApiClient) =>
  (await api.get<User>('/auth/user')).body.demo as DemoAllowance;

/** Sends a message and waits for the whole reply. */
async function talk(api: ApiClient, id: string, content: string) {
  const sent = await api.send(id, content);
  expect(sent.status).toBe(202);
  await expect.poll(async () => (await api.reply(id)).status).toBe('complete');
  return sent.body.reply.id;
}

describe('the demo', () => {
  it('allows 20 ordinary messages in one conversation, and refuses the 21st for their number', async () => {
    const anna = await stack.guest();
    const id = await anna.conversation();
    for (let n = 1; n <= 20; n += 1) {
      await talk(
        anna,
        id,
        `What do owls do, and why? Answer part ${n} of this long question, please.`,
      );
      expect(await countPromptTokens(promptOf())).toBeLessThanOrEqual(4_000);
    }
    const { tokensLeft, messagesLeft } = await demoOf(anna);
    expect(messagesLeft).toBe(0);
    expect(tokensLeft).toBeGreaterThan(0);
    const { status, body } = await anna.send(id, 'And what else?');
    expect([status, body]).toMatchObject([
      402,
      { code: 'quota_exceeded', details: { messages: { used: 20, limit: 20 } } },
    ]);
    const { metadata } = await anna.reply(id);
    const parts = metadata?.contextReceipt?.parts ?? [];
    expect(parts.at(-1)).toMatchObject({ part: 'history', leftOut: 39 - promptOf().length + 1 });
  });
});

it('cached tokens count a tenth, with the account, by reply and in the CSV', async () => {
  const anna = await stack.guest();
  const replyId = await talk(anna, await anna.conversation(), 'cached');
  const prompt = await countPromptTokens(promptOf());
  const reply = await countTokens(ANSWER);
  const charged = Math.round(prompt / 10) + reply;
  await expect.poll(async () => (await anna.get<Usage>('/usage')).body.used).toBe(charged);
  const { body } = await anna.get<ReplyUsage>(`/replies/${replyId}/usage`);
  const line = { promptTokens: prompt, cachedTokens: prompt, tokens: charged };
  expect(body).toMatchObject({ tokens: charged, entries: [line] });
  const csv = await fetch(`${stack.web.url}/api/usage/ledger.csv`, {
    headers: { authorization: `Bearer ${anna.token}` },
  });
  const [, row] = (await csv.text()).split('\r\n');
  const figures = [prompt, prompt, reply, 0, prompt + reply, charged];
  expect(row?.split(',').slice(-8, -2).map(Number)).toEqual(figures);
});

it('the last tokens of a plan are used, even by 20 concurrent sends: the reply reports its cut, and then nothing is left', async () => {
  const { api } = await visitor(stack.web.url).member();
  const { body: user } = await api.get<User>('/auth/user');
  const database = await connectMongo(stack.env.MONGODB_URI ?? '');
  const ownerId = database.base.Types.ObjectId.createFromHexString(user.id);
  const plan = { ownerId, plan: 'starter', status: 'active', startedAt: new Date() };
  await database.collection('subscriptions').insertOne(plan);
  await database.close();
  const id = await api.conversation();
  await talk(api, id, 'expensive');
  // The reply is complete before its tokens are settled.
  await expect.poll(async () => (await api.get<Usage>('/usage')).body.used).toBe(200_000 - LEFT);
  const others = await Promise.all(Array.from({ length: 19 }, () => api.conversation()));
  const sends = await Promise.all([id, ...others].map((to) => api.send(to, 'And how far?')));
  const accepted = sends.filter(({ status }) => status === 202);
  expect(accepted.length).toBeGreaterThan(0);
  for (const { status } of sends.filter((sent) => !accepted.includes(sent)))
    expect([429, 402]).toContain(status);
  const replies = accepted.map(({ body }) => body.reply);
  for (const { conversationId } of replies)
    await expect.poll(async () => (await api.reply(conversationId)).status).toBe('interrupted');
  expect(await api.reply(replies[0]?.conversationId ?? '')).toMatchObject({
    error: { code: 'quota_exceeded', message: expect.stringContaining('cut off') },
  });
  const longest = Math.max(
    ...(await Promise.all(asked.map((one) => countPromptTokens(one.messages)))),
  );
  const usage = (await api.get<Usage>('/usage')).body;
  expect(usage.used).toBeGreaterThanOrEqual(200_000);
  expect(usage.used).toBeLessThanOrEqual(200_000 + longest + 256);
  expect(await api.send(id, 'And now?')).toMatchObject({
    status: 402,
    body: { code: 'quota_exceeded', details: { limit: 200_000, upgrade: true } },
  });
});

it('charges the workspace once, as the provider has counted, when the sender leaves and the plan ends while the reply runs', async () => {
  const us = visitor(stack.web.url);
  const [{ api: owner }, { api: member }] = [await us.member(), await us.member()];
  const idOf = async (api: ApiClient) => (await api.get<User>('/auth/user')).body.id;
  const [ownerId, memberId] = [await idOf(owner), await idOf(member)];
  const database = await connectMongo(stack.env.MONGODB_URI ?? '');
  const oid = (id: string) => database.base.Types.ObjectId.createFromHexString(id);
  const plan = { ownerId: oid(ownerId), plan: 'pro', status: 'active', startedAt: new Date() };
  await database.collection('subscriptions').insertOne(plan);
  const workspaceId = (await owner.post<{ id: string }>('/workspaces', { name: 'Owls' })).body.id;
  const place = { workspaceId: oid(workspaceId), userId: oid(memberId), role: 'member' };
  await database.collection('memberships').insertOne({ ...place, joinedAt: new Date() });
  const talking = { title: 'A talk', workspaceId };
  const { id } = (await member.post<{ id: string }>('/conversations', talking)).body;
  const before = asked.length;
  const { body } = await member.send(id, 'held');
  await expect.poll(() => asked.length).toBe(before + 1);
  const members = `/workspaces/${workspaceId}/members`;
  expect((await member.call('DELETE', `${members}/${memberId}`)).status).toBe(204);
  await database.collection('subscriptions').deleteOne({ ownerId: oid(ownerId) });
  release();
  await expect.poll(async () => (await member.reply(id)).status).toBe('complete');
  const entries = () =>
    database.collection('usage_ledger').find({ replyId: body.reply.id, kind: 'reply' }).toArray();
  await expect.poll(async () => (await entries())[0]?.state).toBe('settled');
  const [prompt, reply] = [await countPromptTokens(promptOf()), await countTokens(ANSWER)];
  expect(await entries()).toMatchObject([
    {
      ownerId: oid(ownerId),
      userId: oid(memberId),
      workspaceId: oid(workspaceId),
      promptTokens: prompt,
      completionTokens: reply,
    },
  ]);
  const periods = database.collection('usage_periods');
  expect(await periods.find({ ownerId: oid(memberId) }).toArray()).toEqual([]);
  expect((await member.get<Usage>('/usage')).body.used).toBe(0);
  expect((await member.send(id, 'And now?')).body).toMatchObject({ code: 'subscription_required' });
  await database.close();
});

describe('a new conversation that sums up another one', () => {
  const summarise = (api: ApiClient, summaryOf: string) =>
    api.post<CreatedConversation & ErrorBody>('/conversations', {
      title: 'Owls, continued',
      clientConversationId: randomUUID(),
      message: { content: 'Summarise our conversation.', clientMessageId: randomUUID(), summaryOf },
    });
  const ended = (api: ApiClient, id: string) =>
    expect.poll(async () => (await api.reply(id)).status).toBe('complete');
  const contents = () => promptOf().map(({ content }) => content);

  it('gets its messages for the first reply only, also when that is regenerated', async () => {
    const anna = await stack.guest();
    const old = await anna.conversation();
    await talk(anna, old, 'Tell me about owls.');
    const { status, body } = await summarise(anna, old);
    expect(status).toBe(201);
    await ended(anna, body.id);
    const given = ['Tell me about owls.', ANSWER, 'Summarise our conversation.'];
    expect(contents().slice(1)).toEqual(given);
    expect((await anna.messages(body.id)).map(({ content }) => content)).toEqual([
      'Summarise our conversation.',
      ANSWER,
    ]);
    await anna.post(`/replies/${body.sent?.reply.id}/regenerate`);
    await ended(anna, body.id);
    expect(contents().slice(1)).toEqual(given);
    await talk(anna, body.id, 'Go on.');
    expect(contents().slice(1)).toEqual(['Summarise our conversation.', ANSWER, 'Go on.']);
  });

  it("is refused for a missing or empty one, and for another user's", async () => {
    const [anna, eve] = [await stack.guest(), await stack.guest()];
    const old = await anna.conversation();
    await talk(anna, old, 'Tell me about owls.');
    const before = asked.length;
    for (const id of [old, 'a'.repeat(24), await eve.conversation()])
      expect((await summarise(eve, id)).status).toBe(404);
    expect((await eve.get<unknown[]>('/conversations')).body).toHaveLength(1);
    expect(asked.length).toBe(before);
  });
});
