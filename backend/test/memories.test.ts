import { beforeAll, describe, expect, it } from 'vitest';
import type { Conversation, CreatedConversation } from '../src/contract/conversations.ts';
import type { Memory, MemoryEvent, MemoryList } from '../src/contract/memory.ts';
import type { Reply } from '../src/contract/messages.ts';
import type { DepthMedians } from '../src/contract/replies.ts';
import { type ApiClient, type Stack, startStack } from './stack.ts';

let stack: Stack;
/** The model's answer to every call: a reply, and a memory. */
const SAID = JSON.stringify({
  ops: [
    { op: 'add', targetId: null, text: 'I live in Oslo', kind: 'fact', quote: 'I live in Oslo' },
  ],
});
beforeAll(async () => {
  stack = await startStack();
  stack.provider.onMessage(/.*/, { content: SAID });
});

const list = async (user: ApiClient) => (await user.get<MemoryList>('/memories')).body.memories;

/** Sends a message with a statement about the user, and waits for its memory. */
async function sharedFact(user: ApiClient): Promise<Reply> {
  const id = await user.conversation();
  await user.send(id, 'I live in Oslo.');
  const written = async () => (await user.reply(id)).metadata?.memoryReceipt?.written;
  await expect.poll(written).toHaveLength(1);
  return user.reply(id);
}

describe('memories over HTTP', () => {
  it('are saved by a reply, changed, and charged as a separate kind', async () => {
    const user = await stack.guest();
    const reply = await sharedFact(user);
    const [memory] = await list(user);
    expect(memory).toMatchObject({ text: 'I live in Oslo', state: 'active', version: 1 });
    const path = `/memories/${memory?.id}`;
    expect(await user.patch<Memory>(path, { version: 1, isPinned: true })).toMatchObject({
      status: 200,
      body: { version: 2, isPinned: true },
    });
    expect(await user.patch(path, { version: 1, isPinned: false })).toMatchObject({
      status: 409,
      body: { code: 'memory_changed' },
    });
    expect((await user.get<MemoryEvent[]>(`${path}/history`)).body.map(({ op }) => op)).toEqual([
      'add',
      'pin',
    ]);
    const { body } = await user.get<{ kinds: { kind: string }[] }>('/usage');
    expect(body.kinds.map(({ kind }) => kind)).toContain('memory');
    expect((await user.post('/memories/undo', { replyId: reply.id })).status).toBe(204);
    // Later changes by the user stay.
    expect(await list(user)).toHaveLength(1);
    expect((await user.call('DELETE', '/memories')).status).toBe(204);
    expect(await list(user)).toEqual([]);
  });

  it('are undone in every tab', async () => {
    const user = await stack.guest();
    const reply = await sharedFact(user);
    const undo = () => user.post('/memories/undo', { replyId: reply.id });
    const answers = await Promise.all([undo(), undo(), undo()]);
    expect(answers.map(({ status }) => status)).toEqual([204, 204, 204]);
    expect(await list(user)).toEqual([]);
    const stored = await user.reply(reply.conversationId);
    expect(stored.metadata?.memoryReceipt).toMatchObject({ isUndone: true, mode: 'on' });
  });

  it('of another user do not exist, and need a session', async () => {
    const [owner, other] = await Promise.all([stack.guest(), stack.guest()]);
    const reply = await sharedFact(owner);
    const [memory] = await list(owner);
    const path = `/memories/${memory?.id}`;
    for (const call of [
      other.get(`${path}/history`),
      other.patch(path, { version: 1, text: 'x' }),
      other.call('DELETE', path),
      other.post(`${path}/approve`),
      other.post(`${path}/reject`),
      other.post('/memories/undo', { replyId: reply.id }),
    ])
      expect(await call).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect((await stack.api('wrong').get('/memories')).status).toBe(401);
    expect(await list(owner)).toHaveLength(1);
  });

  it('refuse invalid input', async () => {
    const user = await stack.guest();
    for (const call of [
      user.post('/memories/undo', { replyId: 'x' }),
      user.post('/memories/import', { memories: [] }),
      user.post('/memories/import', { memories: [{ text: 'x'.repeat(301) }] }),
      user.get('/memories?state=deleted'),
    ])
      expect(await call).toMatchObject({ status: 422, body: { code: 'invalid_field' } });
  });
});

it('a conversation is created with its choices', async () => {
  const user = await stack.guest();
  const message = { content: 'Hello there', depth: 'deep', pastes: [{ start: 0, end: 5 }] };
  const { body } = await user.post<CreatedConversation>('/conversations', {
    title: 'Hello',
    temporary: true,
    memory: 'read_only',
    message,
  });
  expect(body).toMatchObject({ temporary: true, memory: 'read_only' });
  expect(body.sent?.message.metadata).toEqual({ pastes: message.pastes });
  const [listed] = (await user.get<Conversation[]>('/conversations')).body;
  expect(listed).toMatchObject({ temporary: true, memory: 'read_only', depth: 'deep' });
});

it('the medians of the depths are shown to signed-in users', async () => {
  const user = await stack.guest();
  const { body } = await user.get<DepthMedians>('/depths');
  expect(Object.keys(body.medianMs)).toEqual(['fast', 'balanced', 'deep']);
});
