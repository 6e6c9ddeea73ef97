// A former build beside this one. Its jobs are in job-payloads.test.ts, its files in src/http/static-files.test.ts.
import { randomUUID } from 'node:crypto';
import { io, type Socket } from 'socket.io-client';
import { expect, it } from 'vitest';
import * as present from '../../frontend/src/realtime/reply-reducer.ts';
import { CreateConversationBody } from '../src/contract/conversations.ts';
import { SendMessageBody } from '../src/contract/messages.ts';
import { type ServerEvents, SOCKET_PATH } from '../src/contract/realtime.ts';
import type { ReplyDelta, ReplyState, ReplyTail } from '../src/contract/replies.ts';
import { atEnd } from './at-end.ts';
import * as former from './fixtures/build-bd809f6.mjs';
import { type ApiClient, longText, startStack } from './stack.ts';

const ID = 'a'.repeat(24);

/** What the page of the former build sends; this one sends no more. */
const BODY: SendMessageBody = {
  content: 'Hello',
  clientMessageId: randomUUID(),
  parentId: ID,
  files: [{ id: ID, name: 'notes.txt' }],
  personaId: ID,
  depth: 'deep',
  panel: { synthesis: true },
  pastes: [{ start: 0, end: 5 }],
};
const { parentId: _parent, ...FIRST } = BODY;
const CREATED: CreateConversationBody = {
  title: 'A talk',
  clientConversationId: randomUUID(),
  temporary: true,
  memory: 'read_only',
  message: FIRST,
};

it('a send means the same to the web processes of the former build and of this one', () => {
  for (const [ours, theirs, body] of [
    [SendMessageBody, former.SendMessageBody, BODY],
    [CreateConversationBody, former.CreateConversationBody, CREATED],
  ] as const) {
    expect(theirs.parse(body)).toEqual(body);
    expect(ours.parse(body)).toEqual(body);
  }
});

it('the former build accepts a send with fields of a later one', () => {
  const later = { ...BODY, later: { field: true } };
  expect(former.SendMessageBody.parse(later)).toEqual(BODY);
});

it('this page shows a reply that is written by a worker of the former build, which a later one continues', () => {
  const at = { replyId: ID, conversationId: ID };
  const text = { part: 1, type: 'text' as const };
  const states: ReplyState[] = [
    { ...at, attempt: 0, status: 'queued', length: 0, ahead: 1 },
    { ...at, attempt: 1, status: 'streaming', length: 0 },
  ];
  const deltas: ReplyDelta[] = [
    { ...at, attempt: 1, part: 0, type: 'reasoning', offset: 0, delta: 'Owls…' },
    { ...at, attempt: 1, ...text, offset: 5, delta: 'They ' },
    { ...at, attempt: 1, ...text, offset: 8, delta: 'y hoot' },
    { ...at, attempt: 1, ...text, offset: 14, delta: '.' },
  ];
  const end: ReplyState = { ...at, attempt: 1, status: 'complete', length: 15 };
  for (const { applyDelta, applyState, contentOf, UNKNOWN_REPLY } of [present, former]) {
    const begun = states.reduce(applyState, UNKNOWN_REPLY);
    const view = applyState(deltas.reduce(applyDelta, begun), end);
    expect([view.status, contentOf(view.parts)]).toEqual(['complete', 'They hoot.']);
  }
});

/** A tab of the former build: it sends no `watch`, and reads its replies over a gap. */
async function openFormerTab(api: ApiClient) {
  const { applyDelta, applyState, applyTail, contentOf, hasGap } = former;
  let view = former.UNKNOWN_REPLY;
  const readTail = async (replyId: string) => {
    const path = `/replies/${replyId}?attempt=${view.attempt}&offset=${view.length}`;
    const { status, body } = await api.get<ReplyTail>(path);
    if (status === 200) view = applyTail(view, body);
  };
  const socket: Socket<ServerEvents> = io(api.url, {
    path: SOCKET_PATH,
    transports: ['websocket'],
    auth: { token: api.token },
    forceNew: true,
  });
  atEnd(() => socket.disconnect());
  socket.on('reply:state', (state) => {
    view = applyState(view, state);
    if (hasGap(view)) void readTail(state.replyId);
  });
  socket.on('reply:delta', (delta) => {
    view = applyDelta(view, delta);
    if (hasGap(view)) void readTail(delta.replyId);
  });
  await expect.poll(() => socket.connected).toBe(true);
  return () => ({ status: view.status, text: contentOf(view.parts) });
}

it('a tab of the former build sends to processes of this one, and shows the reply while it is written and at its end', async () => {
  const stack = await startStack();
  const text = longText(200);
  stack.provider.onMessage(/.*/, { content: text }, { streamingProfile: { tps: 40 } });
  const ada = await stack.guest();
  const id = await ada.conversation();
  const shown = await openFormerTab(ada);
  expect((await ada.send(id, 'Hello')).status).toBe(202);
  await expect.poll(() => shown().text.length).toBeGreaterThan(0);
  expect(shown().status).toBe('streaming');
  await expect.poll(shown).toEqual({ status: 'complete', text });
  expect((await ada.reply(id)).content).toBe(text);
});
