import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type {
  Conversation,
  CreatedConversation,
  ReplyEstimate,
  SearchPage,
} from '../src/contract/conversations.ts';
import type { PersonaDraft, PersonaSummary } from '../src/contract/personas.ts';
import type { DepthMedians } from '../src/contract/replies.ts';
import type { ReplyUsage } from '../src/contract/usage.ts';
import { type ApiClient, type Stack, startStack } from './stack.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
  stack.provider.onMessage(/.*/, { content: 'Zebras graze.' });
});

const draft = (user: ApiClient, body: object = { persona: { name: 'Ada', tone: ['calm'] } }) =>
  user.post<PersonaDraft>('/personas/drafts', body);

const send = (user: ApiClient, personaId: string, fields: object = { trial: true }) =>
  user.post<CreatedConversation>('/conversations', {
    title: 'Trial',
    clientConversationId: randomUUID(),
    message: { content: 'Hello zebra', personaId },
    ...fields,
  });

const completed = async (user: ApiClient, id: string) => {
  const status = async () => (await user.reply(id)).status;
  await expect.poll(status).toBe('complete');
  return user.reply(id);
};

const lastPrompt = () => JSON.stringify(stack.provider.getRequests().at(-1)?.body);

describe('a draft', () => {
  it('of a persona writes the reply of a trial, and is no persona of the user', async () => {
    const user = await stack.guest();
    const { status, body } = await draft(user);
    expect([status, body.name]).toEqual([201, 'Ada']);
    expect((await draft(user)).body).toEqual(body);
    const { body: created } = await send(user, body.id);
    expect(await completed(user, created.id)).toMatchObject({ persona: { name: 'Ada' } });
    expect(lastPrompt()).toContain('calm');
    expect((await user.get<PersonaSummary[]>('/personas?fields=summary')).body).toHaveLength(6);
    expect((await user.get(`/personas/${body.id}`)).status).toBe(404);
  });

  it('of a fusion has the fused prompt', async () => {
    const user = await stack.guest();
    const [a, b] = (await user.get<PersonaSummary[]>('/personas?fields=summary')).body;
    const members = [
      { id: a?.id, weight: 50 },
      { id: b?.id, weight: 50 },
    ];
    const { body } = await draft(user, { fusion: { name: 'Both', members } });
    const { body: created } = await send(user, body.id);
    await completed(user, created.id);
    expect(lastPrompt()).toContain('“Both”');
  });

  it('is refused outside of trials, and is not found by others', async () => {
    const [ada, ben] = [await stack.guest(), await stack.guest()];
    const { id } = (await draft(ada)).body;
    const own = await ada.conversation();
    for (const call of [
      send(ada, id, {}),
      send(ada, id, { temporary: true }),
      ada.patch(`/conversations/${own}`, { personaId: id }),
      send(ben, id),
      ben.post('/conversations/estimate', { content: 'Hello', personaIds: [id] }),
    ])
      expect(await call).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });

  it('needs a session, and either a persona or a fusion', async () => {
    const user = await stack.guest();
    expect((await draft(stack.api('wrong'))).status).toBe(401);
    expect((await draft(user, {})).status).toBe(422);
    const estimate = { content: 'Hello', personaIds: [] };
    expect((await user.post('/conversations/estimate', estimate)).status).toBe(422);
    expect((await stack.api('wrong').post('/conversations/estimate', estimate)).status).toBe(401);
  });
});

describe('a trial', () => {
  it('is in no list, search or median, and is charged no more than was estimated', async () => {
    const user = await stack.guest();
    const { id } = (await draft(user)).body;
    const asked = { content: 'Hello zebra', personaIds: [id] };
    const { body: estimates } = await user.post<ReplyEstimate[]>('/conversations/estimate', asked);
    const { body: created } = await send(user, id);
    expect(created).toMatchObject({ temporary: true });
    const reply = await completed(user, created.id);
    const usage = async () => (await user.get<ReplyUsage>(`/replies/${reply.id}/usage`)).body;
    await expect.poll(async () => (await usage()).tokens).toBeGreaterThan(0);
    const [entry] = (await usage()).entries;
    expect(estimates).toHaveLength(1);
    expect(estimates[0]?.promptTokens).toBeGreaterThanOrEqual(entry?.promptTokens ?? Infinity);
    expect(estimates[0]?.replyTokens).toBeGreaterThanOrEqual(entry?.completionTokens ?? Infinity);
    expect((await user.get<Conversation[]>('/conversations')).body).toEqual([]);
    const byId = await user.get<Conversation[]>(`/conversations?ids=${created.id}`);
    expect(byId.body).toEqual([]);
    // When a message of an ordinary conversation is found, the index has caught up with both.
    const other = await user.conversation();
    await user.send(other, 'Another zebra');
    const found = async () =>
      (await user.get<SearchPage>('/search?q=zebra')).body.results.map((it) => it.conversationId);
    await expect.poll(found).toContain(other);
    expect(await found()).not.toContain(created.id);
  });

  it('counts in no median', async () => {
    const user = await stack.guest();
    const medians = async () => (await user.get<DepthMedians>('/depths')).body.medianMs.fast;
    const { id } = (await draft(user)).body;
    const { body: created } = await send(user, id, {
      trial: true,
      message: { content: 'Quick', personaId: id, depth: 'fast' },
    });
    await completed(user, created.id);
    const ordinary = await user.conversation();
    expect(await medians()).toBeNull();
    await user.post(`/conversations/${ordinary}/messages`, { content: 'Quick', depth: 'fast' });
    await expect.poll(medians).toBeGreaterThanOrEqual(0);
  });

  it('notifies no tab of a new conversation', async () => {
    const user = await stack.guest();
    const own = await user.conversation();
    const titles: string[] = [];
    const { socket } = await user.tab(own);
    socket.on('conversation:changed', ({ title }) => void titles.push(title));
    const { id } = (await draft(user)).body;
    const { body: created } = await send(user, id);
    await completed(user, created.id);
    await user.patch(`/conversations/${own}`, { title: 'Renamed' });
    await expect.poll(() => titles).toEqual(['Renamed']);
  });
});
