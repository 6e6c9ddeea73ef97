import { expect, it } from 'vitest';
import { sourceHref } from '../../contract/limits.ts';
import type { Message, MessageMetadata, Reply, UserMessage } from '../../contract/messages.ts';
import type { ShareInclude } from '../../contract/shares.ts';
import { unconnected } from '../../db/mongo.ts';
import type { MessageRecord, ReplyRecord } from '../chat/index.ts';
import { defineMessageModel } from '../chat/messages/model.ts';
import { presentShared } from './present.ts';

type Visible = 'shown' | 'included' | 'private';

/** What of a message others see; `included`: when its owner includes it. A new field needs a decision here. */
const MESSAGE: Record<keyof UserMessage | keyof Reply, Visible> = {
  id: 'private',
  conversationId: 'private',
  parentId: 'private',
  siblingIds: 'private',
  role: 'shown',
  content: 'shown',
  createdAt: 'private',
  metadata: 'private',
  clientMessageId: 'private',
  status: 'shown',
  attempt: 'private',
  parts: 'shown',
  error: 'private',
  ending: 'shown',
  stoppedBy: 'private',
  feedback: 'private',
  persona: 'included',
  author: 'included',
};

const METADATA: Record<keyof MessageMetadata, Visible> = {
  files: 'included',
  pastes: 'private',
  insightCards: 'private',
  citations: 'included',
  filesReceipt: 'private',
  memoryReceipt: 'private',
  depthReceipt: 'private',
  claims: 'private',
  contextReceipt: 'private',
  erased: 'private',
};

/** The stored fields of a message. */
const STORED = [
  '_id',
  'active',
  'attempt',
  'authorId',
  'charges',
  'clientMessageId',
  'content',
  'conversationId',
  'createdAt',
  'deltas',
  'depth',
  'ending',
  'error.cause',
  'error.code',
  'error.message',
  'failedSteps',
  'feedback',
  'heartbeatAt',
  'jobId',
  'keptLength',
  'lane',
  'lostAttempts',
  'metadata',
  'outbox',
  'ownerId',
  'parentId',
  'parts',
  'pathLength',
  'payer',
  'postSteps',
  'ratings',
  'reserved.promptTokens',
  'reserved.replyTokens',
  'role',
  'sent.promptTokens',
  'settings',
  'status',
  'stepRuns',
  'stopRequested',
  'stoppedBy',
  'sweptAt',
  'takeovers',
  'unindexed',
  'usage.completionTokens',
  'usage.promptTokens',
];

const NOTHING: ShareInclude = { files: false, names: false, reasoning: false };
const ALL: ShareInclude = { files: true, names: true, reasoning: true };
const FILE_ID = 'f'.repeat(24);
const place = { fileId: FILE_ID, page: 3, start: 1, end: 9 };

/** Every private text contains this. */
const secret = (name: string) => `SECRET-${name}`;

const metadata = {
  files: [
    {
      id: FILE_ID,
      name: 'INCLUDED-file.pdf',
      url: secret('url'),
      objectPath: secret('path'),
      type: 'application/pdf',
      size: 12,
    },
  ],
  citations: [
    {
      n: 1,
      ...place,
      fileName: 'INCLUDED-file.pdf',
      sha256: secret('hash'),
      quote: secret('quote'),
    },
  ],
  insightCards: [{ insight: secret('card') }],
  filesReceipt: [{ fileId: secret('id'), name: secret('file'), given: 'whole' }],
  memoryReceipt: { mode: 'on', read: [{ id: secret('memory') }], written: [], refused: [] },
  depthReceipt: { model: secret('model'), parameter: secret('parameter') },
  claims: { state: 'done', at: secret('at'), claims: [], tokens: 123_456_789 },
  contextReceipt: { budgetTokens: 123_456_789, parts: [] },
  unknown: secret('metadata'),
} as unknown as MessageMetadata;

const reply = {
  id: secret('id'),
  ownerId: secret('owner'),
  conversationId: secret('conversation'),
  parentId: secret('parent'),
  role: 'assistant',
  status: 'complete',
  attempt: 123_456_789,
  content: `Owls hoot [1](${sourceHref(place)}). See [here](${sourceHref(place)}).`,
  createdAt: new Date(),
  depth: 123_456_789,
  jobId: secret('job'),
  error: { code: 'internal', message: secret('error'), cause: secret('cause') },
  feedback: { rating: 'bad', reason: secret('feedback') },
  stoppedBy: secret('stopper'),
  usage: { promptTokens: 123_456_789, completionTokens: 123_456_789 },
  reserved: { promptTokens: 123_456_789, replyTokens: 123_456_789 },
  settings: {
    persona: {
      id: secret('persona'),
      name: 'INCLUDED-persona',
      version: 7,
      prompt: secret('text'),
    },
    memory: 'on',
  },
  metadata,
  unknown: secret('field'),
} as unknown as ReplyRecord;

const question = {
  ...reply,
  role: 'user',
  content: 'What do owls do?',
  clientMessageId: secret('client'),
} as unknown as MessageRecord;

const present = (record: MessageRecord, include: ShareInclude) =>
  presentShared(record, { include, authorName: 'INCLUDED-Ada' });

it('knows every field of a message', () => {
  const paths = Object.keys(defineMessageModel(unconnected()).schema.paths);
  expect(paths.toSorted()).toEqual(STORED);
  const shown = (fields: Record<string, Visible>) =>
    Object.keys(fields).filter((name) => fields[name] === 'shown');
  expect(shown(MESSAGE)).toEqual(['role', 'content', 'status', 'parts', 'ending']);
  expect(shown(METADATA)).toEqual([]);
  // A message of the product has no other fields.
  expect<keyof Message>('role').toBe('role');
});

it('shows the texts only, unless more is included', () => {
  expect([present(question, NOTHING), present(reply, NOTHING)]).toEqual([
    { role: 'user', parts: [{ type: 'text', text: 'What do owls do?' }] },
    { role: 'assistant', parts: [{ type: 'text', text: 'Owls hoot [1]. See [here].' }] },
  ]);
});

it('shows files and names when they are included, and nothing private with them', () => {
  const all = [present(question, ALL), present(reply, ALL)];
  expect(all).toMatchObject([
    { name: 'INCLUDED-Ada', files: [{ name: 'INCLUDED-file.pdf', size: 12 }] },
    {
      name: 'INCLUDED-persona',
      sources: [{ n: 1, fileName: 'INCLUDED-file.pdf', page: 3 }],
    },
  ]);
  const text = JSON.stringify(all);
  for (const hidden of ['SECRET', '123456789', FILE_ID, '#source'])
    expect(text).not.toContain(hidden);
});

it('shows reasoning when it is included, and members of a panel by numbers unless names are', () => {
  const panel = {
    ...reply,
    parts: [
      { type: 'reasoning', text: 'Hm.', personaId: 'a', personaName: 'INCLUDED-Hawk' },
      { type: 'text', text: 'One', personaId: 'a', personaName: 'INCLUDED-Hawk' },
      { type: 'text', text: 'Two', personaId: 'b', personaName: 'INCLUDED-Jay' },
      { type: 'text', text: 'Both' },
    ],
  } as unknown as ReplyRecord;
  expect(present(panel, NOTHING).parts).toEqual([
    { type: 'text', text: 'One', member: 1 },
    { type: 'text', text: 'Two', member: 2 },
    { type: 'text', text: 'Both' },
  ]);
  expect(present(panel, ALL).parts.slice(0, 2)).toEqual([
    { type: 'reasoning', text: 'Hm.', member: 1, name: 'INCLUDED-Hawk' },
    { type: 'text', text: 'One', member: 1, name: 'INCLUDED-Hawk' },
  ]);
});

it.each([
  ['queued', 'running'],
  ['streaming', 'running'],
  ['stopped', 'incomplete'],
  ['failed', 'incomplete'],
  ['interrupted', 'incomplete'],
])('says of a %s reply that it is %s', (status, state) => {
  expect(present({ ...reply, status } as ReplyRecord, NOTHING).state).toBe(state);
});
