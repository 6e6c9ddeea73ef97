import { randomUUID } from 'node:crypto';
import type { ClientRequest } from 'node:http';
import { beforeAll, describe, expect, it } from 'vitest';
import { actorOf } from '../../../../test/chat.ts';
import type { Actor } from '../../../access/index.ts';
import type { ExportedConversation } from '../../../contract/conversations.ts';
import { createConversationDeletionStore } from '../conversations/deletion-model.ts';
import { createConversationImportStore } from '../conversations/import-model.ts';
import { file, message, newId, openExports, WITHOUT_PLAN } from './exports.fixture.ts';

let chat: Awaited<ReturnType<typeof openExports>>;

beforeAll(async () => {
  chat = await openExports();
});

const ada = () => actorOf(newId());
const storedOf = ({ userId }: { userId: string }) => chat.model.find({ ownerId: userId }).lean();
const listOf = (actor: ReturnType<typeof ada>) => chat.conversations.list(actor, {});
const exported = async (actor: ReturnType<typeof ada>, id: string): Promise<ExportedConversation> =>
  JSON.parse(await chat.export(actor, id, 'json'));

describe('an import', () => {
  it('is refused to guests, to users without a plan and without a session', async () => {
    const text = JSON.stringify(file([message(0), message(1)]));
    const body = { format: 'json', text, clientConversationId: randomUUID() };
    const path = '/conversations/import';
    expect((await chat.call(`guest-${newId()}`, path, body)).status).toBe(403);
    expect((await chat.call(WITHOUT_PLAN, path, body)).status).toBe(402);
    expect((await fetch(`${chat.url}/api${path}`, { method: 'POST' })).status).toBe(401);
  });

  it('whose body does not end keeps only its own user waiting', async () => {
    const users = Array.from({ length: 3 }, ada);
    const begun: ClientRequest[] = [];
    const statusFor = async (user: Actor) => (await chat.import(user, '{}')).status;
    for (const user of users)
      await expect
        .poll(async () => {
          begun.push(await chat.beginImport(user));
          return statusFor(user);
        })
        .toBe(503);
    expect(await statusFor(ada())).toBe(422);
    for (const request of begun) request.destroy();
    for (const user of users) await expect.poll(() => statusFor(user)).toBe(422);
  });

  it('with the same client id returns the same conversation, and stores it once', async () => {
    const actor = ada();
    const text = JSON.stringify(file([message(0), message(1)]));
    const again = { clientConversationId: randomUUID() };
    const first = await chat.import(actor, text, again);
    expect(await chat.import(actor, text, again)).toEqual(first);
    expect(await storedOf(actor)).toHaveLength(2);
    const other = await chat.import(ada(), text, again);
    expect(other.body.id).not.toBe(first.body.id);
  });

  it('is published to the tabs, comes first in the list, and can be continued', async () => {
    const actor = ada();
    await chat.conversations.create(actor, { title: 'Before' });
    const { body } = await chat.import(actor, file([message(0), message(1)]));
    expect(chat.events.at(-1)).toMatchObject({
      userId: actor.userId,
      event: 'conversation:changed',
      payload: { id: body.id, activeLeafId: body.activeLeafId },
    });
    expect((await listOf(actor)).map(({ title }) => title)).toEqual(['Owls', 'Before']);
    const sent = await chat.service().send(actor, { conversationId: body.id, content: 'Go on' });
    expect(sent.message.parentId).toBe(body.activeLeafId);
  });

  it('counts the whole text of the branch into the next prompt', async () => {
    const actor = ada();
    const text = 'ü'.repeat(10_000);
    const messages = [message(0, { content: text }), message(1, { content: text })];
    const { body } = await chat.import(actor, file(messages));
    await chat.service().send(actor, { conversationId: body.id, content: 'Go on' });
    expect(chat.reserved.at(-1)).toMatchObject({ promptTokens: expect.any(Number) });
    const { promptTokens } = chat.reserved.at(-1) as { promptTokens: number };
    expect(promptTokens).toBeGreaterThan(40_000 / 3);
  });

  it('has new ids, takes no files, and its links cite nothing', async () => {
    const actor = ada();
    const fileId = newId();
    const victim = await chat.import(ada(), file([message(0), message(1)]));
    const [stolen] = await chat.model.find({ conversationId: victim.body.id }).lean();
    const { body } = await chat.import(
      actor,
      file([
        message(0, { id: String(stolen?._id), files: ['../../secret\u202efdp.exe'] }),
        {
          ...message(1, { parentId: String(stolen?._id) }),
          content: `Owls [1](#source=${fileId},1,0,9)`,
          ownerId: newId(),
          status: undefined,
          active: true,
          metadata: { files: [{ id: fileId, url: '/api/files/x' }] },
        },
      ]),
    );
    const [question, reply] = await storedOf(actor);
    expect([question?._id, reply?._id].map(String)).not.toContain(String(stolen?._id));
    expect(question?.metadata).toEqual({ files: [{ name: '.._.._secretfdp.exe' }] });
    expect(reply).toMatchObject({
      content: 'Owls [1]',
      status: 'complete',
      metadata: { citations: [] },
    });
    expect(reply).not.toHaveProperty('active');
    expect(await storedOf({ userId: String(stolen?.ownerId) })).toHaveLength(2);
    expect(body.activeLeafId).toBe(String(reply?._id));
  });

  it('has dates that increase along every branch and are in the past, for any file', async () => {
    const actor = ada();
    const never = '9999-12-31T23:59:59.999Z';
    const { body } = await chat.import(
      actor,
      file(
        [
          message(0, { createdAt: never }),
          message(1, { createdAt: '1970-01-01T00:00:00.000Z' }),
          message(3, { id: 'other', parentId: 'm0', createdAt: '1970-01-01T00:00:00.000Z' }),
        ],
        { createdAt: never },
      ),
    );
    const { messages } = await exported(actor, body.id);
    const times = messages.map(({ createdAt }) => Date.parse(createdAt));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(new Set(times).size).toBe(3);
    expect(Date.parse(body.createdAt)).toBeLessThanOrEqual(Date.now());
    expect(Date.parse(body.updatedAt)).toBeLessThan(Date.now() + 1_000);
  });

  it('shows the active branch of the file, to its newest leaf', async () => {
    const actor = ada();
    const branches = [message(0), message(1), message(3, { id: 'b', parentId: 'm0' })];
    const { body } = await chat.import(actor, file(branches, { activeLeafId: 'm1' }));
    const active = await chat.model.findById(body.activeLeafId).lean();
    expect(active?.content).toBe('Text 1');
  });

  it('of a message without a reply can be retried', async () => {
    const actor = ada();
    const { body } = await chat.import(actor, file([message(0)]));
    const { messages, activeLeafId } = await exported(actor, body.id);
    expect(messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: '', status: 'interrupted' },
    ]);
    expect(messages[1]?.id).toBe(activeLeafId);
    const reply = await chat.service().regenerate(actor, activeLeafId ?? '');
    expect(reply.status).toBe('queued');
  });

  it('without messages, or without a title, is a conversation too', async () => {
    const actor = ada();
    const { status, body } = await chat.import(actor, file([], { title: ' \n ' }));
    expect([status, body.title, body.activeLeafId]).toEqual([201, 'Imported conversation', null]);
    const long = await chat.import(actor, file([], { title: `a\n${'🦉'.repeat(60)}` }));
    expect(long.body.title).toBe(`a ${'🦉'.repeat(29)}`);
  });
});

describe('a file that is no conversation is refused with a sentence that says why', () => {
  const two = [message(0), message(1)];
  it.each([
    ['no JSON', '{', 'This file is not valid JSON. Export the conversation again.'],
    ['a list', [], 'This file is not a conversation that was exported from STOLAS.'],
    [
      'another format',
      { ...file(two), format: 'x' },
      'This file is not a conversation that was exported from STOLAS.',
    ],
    [
      'a later version',
      file(two, { version: 2 }),
      'This file was exported by a newer version of STOLAS and cannot be read here.',
    ],
    [
      'no messages',
      file(two, { messages: undefined }),
      "'messages' of this file is missing or not valid.",
    ],
    ['a message that is none', file([...two, null]), 'Message 3 of this file is not valid.'],
    [
      'a role that is none',
      file([{ ...message(0), role: 'system' }]),
      "'role' of message 1 is missing or not valid.",
    ],
    [
      'an operator as text',
      file([{ ...message(0), content: { $ne: '' } }]),
      "'content' of message 1 is missing or not valid.",
    ],
    [
      'a date that is none',
      file([{ ...message(0), createdAt: 'now' }]),
      "'createdAt' of message 1 is missing or not valid.",
    ],
    [
      'the same id twice',
      file([message(0), message(1, { id: 'm0' })]),
      'Two messages of this file have the id of message 2.',
    ],
    [
      'a parent that is unknown',
      file([message(0), message(1, { parentId: 'x' })]),
      'Message 2 follows a message that does not stand before it.',
    ],
    [
      'a cycle',
      file([message(0, { parentId: 'm1' }), message(1)]),
      'Message 1 follows a message that does not stand before it.',
    ],
    [
      'a message above itself',
      file([message(0, { parentId: 'm0' })]),
      'Message 1 follows a message that does not stand before it.',
    ],
    [
      'a reply first',
      file([message(1, { parentId: null })]),
      'Message 1 is a reply and follows no message.',
    ],
    [
      'two of one side',
      file([message(0), message(2, { parentId: 'm0' })]),
      'Message 2 follows a message of the same side; they take turns.',
    ],
    ['an empty message', file([message(0, { content: ' \n' })]), 'Message 1 is empty.'],
    [
      'a message that is too long',
      file([message(0, { content: 'x'.repeat(32_001) })]),
      'Message 1 is longer than 32,000 characters.',
    ],
    [
      'a reply that is too long',
      file([message(0), message(1, { content: 'x'.repeat(400_001) })]),
      'Message 2 is longer than 400,000 characters.',
    ],
    [
      'a question with a status',
      file([message(0, { status: 'failed' })]),
      'Message 1 has a status; only replies have one.',
    ],
    [
      'a reply with a status and an ending',
      file([message(0), message(1, { status: 'failed', ending: 'length' })]),
      'Message 2 has an ending; only complete replies have one.',
    ],
    [
      'an active message that is none',
      file(two, { activeLeafId: 'x' }),
      'The active message of this file is not among its messages.',
    ],
    [
      'more messages than fit',
      file(Array.from({ length: 10_001 }, (_, n) => message(n))),
      'This conversation has more than 10,000 messages and cannot be imported.',
    ],
  ])('%s', async (_, text, sentence) => {
    const actor = ada();
    const { status, body } = await chat.import(actor, text);
    expect([status, body.code, body.message]).toEqual([422, 'invalid_field', sentence]);
    expect(await chat.conversationModel.countDocuments({ ownerId: actor.userId })).toBe(0);
  });

  it.each([
    ['nested deeply', '['.repeat(4_000_000)],
    ['nested deeply within', `{"format":${'{"a":'.repeat(1_000_000)}1`],
    ['of millions of values', `[${'{},'.repeat(3_000_000)}{}]`],
    ['of one endless string', `"${'x'.repeat(9_000_000)}`],
  ])('JSON %s', async (_, text) => {
    const { status, body } = await chat.import(ada(), text);
    expect([status, body.code]).toEqual([422, 'invalid_field']);
  });

  it('larger than may be imported', async () => {
    const answer = await chat.import(ada(), 'x'.repeat(10 * 1024 * 1024 + 1));
    expect(answer.status).toBe(422);
    expect(answer.body.message).toBe('This file is too large to import.');
    expect((await chat.import(ada(), 'ü'.repeat(6 * 1024 * 1024))).status).toBe(413);
    expect((await chat.import(ada(), 'x'.repeat(21 * 1024 * 1024))).status).toBe(413);
  });
});

describe('importing Markdown', () => {
  const markdown = async (text: string) => {
    const actor = ada();
    const answer = await chat.import(actor, text, { format: 'md' });
    if (answer.status !== 201) return answer.body.message;
    const { title, messages } = await exported(actor, answer.body.id);
    return { title, texts: messages.map(({ role, content }) => `${role}: ${content}`) };
  };

  it('of another product reads the speakers from its headings', async () => {
    const text = [
      '# About owls',
      '',
      '## You',
      'What is this?',
      '```md',
      '## Assistant',
      '```',
      '',
      '### ChatGPT said:',
      'A heading.',
      '',
      '**User:**',
      'Thanks',
    ].join('\r\n');
    expect(await markdown(text)).toEqual({
      title: 'About owls',
      texts: [
        'user: What is this?\n```md\n## Assistant\n```',
        'assistant: A heading.',
        'user: Thanks',
        'assistant: ',
      ],
    });
  });

  it('joins sections of one speaker', async () => {
    const { texts } = (await markdown('## You\none\n## Human\ntwo')) as { texts: string[] };
    expect(texts[0]).toBe('user: one\n\ntwo');
  });

  it.each([
    [
      '# Notes\n\nOwls hoot.',
      'No conversation was found in this file. To ask about its text, attach it to a message.',
    ],
    ['## Assistant\nHello', 'Message 1 is a reply and follows no message.'],
    [
      '<!-- stolas:conversation {} -->\n',
      'The first line of this file is not valid. Export the conversation again.',
    ],
    [
      '<!-- stolas:conversation {"version":1,"title":"A"} -->\n<!-- stolas:message {x} -->\n',
      'The line before message 1 is not valid. Export the conversation again.',
    ],
  ])('%j is refused', async (text, sentence) => {
    expect(await markdown(text)).toBe(sentence);
  });
});

describe('an import that is cut off', () => {
  const body = () => ({
    format: 'json' as const,
    text: JSON.stringify(file(Array.from({ length: 600 }, (_, n) => message(n)))),
    clientConversationId: randomUUID(),
  });

  it('while messages are stored leaves nothing, and can be repeated under the same id', async () => {
    const actor = ada();
    const insert = chat.imported.insert;
    let calls = 0;
    const broken = chat.importWith({
      imported: {
        ...chat.imported,
        insert: async (...batch) => {
          calls += 1;
          if (calls === 2) throw new Error('The database is gone.');
          await insert(...batch);
        },
      },
    });
    const request = body();
    await expect(broken(actor, request)).rejects.toThrow('The database is gone.');
    expect(await storedOf(actor)).toEqual([]);
    const { id } = await chat.importWith()(actor, request);
    expect((await exported(actor, id)).messages).toHaveLength(600);
  });

  it('by the crash of its process is invisible, cannot be restored, and is erased', async () => {
    const actor = ada();
    // A crashed process cannot undo its import.
    const died = chat.importWith({
      imported: {
        insert: async (messages, scope) => {
          await chat.imported.insert(messages.slice(0, 10), scope);
          throw new Error('killed');
        },
        remove: async () => {
          throw new Error('killed');
        },
      },
    });
    const request = body();
    await expect(died(actor, request)).rejects.toThrow('killed');
    const [half] = await storedOf(actor);
    const id = String(half?.conversationId);
    expect(await listOf(actor)).toEqual([]);
    expect((await chat.call(actor.userId, `/conversations/${id}/export?format=md`)).status).toBe(
      404,
    );
    const deletions = createConversationDeletionStore(chat.conversationModel);
    const key = { id, ownerId: actor.userId };
    expect(await deletions.restore(key, { since: new Date(0) })).toBeNull();
    await expect(chat.importWith()(actor, request)).rejects.toMatchObject({ code: 'unavailable' });
    const later = { before: new Date(Date.now() + 1_000), now: new Date(), limit: 10_000 };
    expect((await deletions.deleted(later)).map((it) => it.id)).toContain(id);
  });

  it('before its first message is invisible', async () => {
    const actor = ada();
    const now = new Date();
    const begun = { ownerId: actor.userId, importId: newId(), title: 'Owls', createdAt: now, now };
    const imports = createConversationImportStore(chat.conversationModel);
    await imports.begin({ ...begun, clientConversationId: randomUUID() });
    expect(await listOf(actor)).toEqual([]);
  });

  it('by its erasure stores nothing more and leaves nothing', async () => {
    const actor = ada();
    const deletions = createConversationDeletionStore(chat.conversationModel);
    const slow = chat.importWith({
      imported: {
        ...chat.imported,
        insert: async (messages, scope) => {
          await chat.imported.insert(messages, scope);
          const key = { id: scope.conversationId, ownerId: scope.ownerId };
          const now = new Date();
          const before = new Date(now.getTime() + 1_000);
          const began = await deletions.beginErasing(key, { before, now, leasedUntil: now });
          expect(began).toBe(messages.length === 500);
        },
      },
    });
    await expect(slow(actor, body())).rejects.toMatchObject({ code: 'unavailable' });
    expect(await storedOf(actor)).toEqual([]);
    expect(await listOf(actor)).toEqual([]);
  });

  it('concurrent imports under the same id are stored once', async () => {
    const actor = ada();
    const request = body();
    const results = await Promise.allSettled([
      chat.importWith()(actor, request),
      chat.importWith()(actor, request),
    ]);
    expect(results.map(({ status }) => status)).toContain('fulfilled');
    expect(await storedOf(actor)).toHaveLength(600);
    expect(await listOf(actor)).toHaveLength(1);
  });
});
