import { randomUUID } from 'node:crypto';
import { PassThrough } from 'node:stream';
import express from 'express';
import { beforeAll, describe, expect, it } from 'vitest';
import { aConversation, aUser, type TestCore, testCore } from '../../../test/core.ts';
import { testFileReader } from '../../../test/file-reader.ts';
import type { Actor, Grant } from '../../access/index.ts';
import type { Conversation } from '../../contract/conversations.ts';
import { MAX_SHARE_VIEWERS, MAX_SHARES } from '../../contract/limits.ts';
import { CreateShareBody } from '../../contract/shares.ts';
import { serve } from '../../http/serve.fixture.ts';
import {
  deleteConversation,
  eraseDeleted,
  replaceGrants,
  restoreConversation,
} from '../chat/conversations/index.ts';
import { MAX_DOWNLOADS } from './feature.ts';
import {
  createShare,
  listShares,
  listSharesOf,
  previewShare,
  revokeAll,
  revokeShare,
} from './manage.ts';
import { continueShare, openShare } from './open.ts';
import { refOf } from './present.ts';
import { shareRoutes } from './routes.ts';

const DAY_MS = 24 * 3_600_000;

let core: TestCore;
let at: Date;
let ada: Actor;
let ben: Actor;

beforeAll(async () => {
  at = new Date();
  core = await testCore({ overrides: { now: () => at, reader: testFileReader() } });
  ada = await aUser(core, { plan: 'pro' });
  ben = await aUser(core, { plan: 'starter' });
});

const oid = (id: string) => core.connection.base.Types.ObjectId.createFromHexString(id);
const newId = () => String(new core.connection.base.Types.ObjectId());

/** Adds a question with its reply below the shown leaf. */
async function say(conversationId: string, question: string, answer: string): Promise<string> {
  const { conversations } = core.services.chat;
  const found = await conversations.find({ id: conversationId, ownerId: ada.userId });
  const from = found?.activeLeafId ?? null;
  const above = from
    ? await core.connection.collection('messages').findOne({ _id: oid(from) })
    : null;
  const depth = above ? above['depth'] + 1 : 0;
  const [questionId, replyId] = [newId(), newId()];
  const common = { conversationId: oid(conversationId), ownerId: oid(ada.userId), createdAt: at };
  await core.connection.collection('messages').insertMany([
    {
      ...common,
      _id: oid(questionId),
      role: 'user',
      content: question,
      depth,
      ...(from && { parentId: oid(from) }),
    },
    {
      ...common,
      _id: oid(replyId),
      role: 'assistant',
      content: answer,
      parentId: oid(questionId),
      depth: depth + 1,
      status: 'complete',
      attempt: 1,
    },
  ]);
  await conversations.moveLeaf({ id: conversationId, ownerId: ada.userId, from, to: replyId });
  return replyId;
}

async function aTalk() {
  const { id } = await aConversation(core, ada, { title: 'Owls' });
  const replyId = await say(id, 'What do owls do?', 'They hoot.');
  return { id, replyId };
}

const share = (body: CreateShareBody, actor = ada) =>
  createShare(core.services.shares, actor, CreateShareBody.parse(body));
const open = (id: string, actor: Actor | null = null, known?: string) =>
  openShare(core.services.shares, actor, { id, known });
const textsOf = async (id: string) =>
  (await open(id))?.messages.map(({ parts }) => parts.map(({ text }) => text).join(''));
const stored = (id: string) =>
  core.connection.collection<{ _id: string; openings?: number }>('shares').findOne({ _id: id });

const GONE = { code: 'gone', message: 'This link no longer works.' };
const TALK = ['What do owls do?', 'They hoot.'];

describe('a link', () => {
  it('is unguessable, and by default a snapshot for anyone, for 30 days', async () => {
    const { id: conversationId } = await aTalk();
    const { id, url } = await share({ conversationId });
    expect(Buffer.from(id, 'base64url')).toHaveLength(16);
    expect(url).toMatch(new RegExp(`/s/${id}$`));
    const [listed] = await listShares(core.services.shares, ada);
    expect(listed).toMatchObject({
      id,
      kind: 'snapshot',
      audience: 'anyone',
      include: { files: false, names: false, reasoning: false },
      expiresAt: new Date(at.getTime() + 30 * DAY_MS).toISOString(),
    });
    expect(await listShares(core.services.shares, ben)).toEqual([]);
  });

  it('shows what the preview showed, also when the conversation changes; a live one shows the change', async () => {
    const { id: conversationId } = await aTalk();
    const preview = await previewShare(core.services.shares, ada, {
      conversationId,
      include: { files: false, names: false, reasoning: false },
    });
    const { revision } = preview;
    const [snapshot, live] = [
      await share({ conversationId, revision }),
      await share({ conversationId, revision, kind: 'live' }),
    ];
    expect(await open(snapshot.id)).toMatchObject({
      title: 'Owls',
      messages: preview.messages,
      revision,
    });
    expect(await textsOf(live.id)).toEqual(TALK);
    await say(conversationId, 'More?', 'No.');
    at = new Date(at.getTime() + 3_000);
    expect(await textsOf(snapshot.id)).toEqual(TALK);
    expect(await textsOf(live.id)).toEqual([...TALK, 'More?', 'No.']);
    expect(await open(snapshot.id, null, revision)).toBeNull();
    expect(await open(live.id, null, revision)).not.toBeNull();
    await expect(share({ conversationId, revision })).rejects.toMatchObject({
      code: 'version_conflict',
    });
  });

  it('to one reply shows neither its question nor the title', async () => {
    const { replyId } = await aTalk();
    const { id } = await share({ replyId });
    expect(await open(id)).toMatchObject({
      title: null,
      messages: [{ role: 'assistant', parts: [{ text: 'They hoot.' }] }],
    });
  });

  it('to a reply that is being written says in a snapshot that it is not complete', async () => {
    const { replyId } = await aTalk();
    const messages = core.connection.collection('messages');
    await messages.updateOne({ _id: oid(replyId) }, { $set: { status: 'streaming' } });
    const states = async (kind: 'snapshot' | 'live') => {
      const { id } = await share({ replyId, kind });
      return (await open(id))?.messages.map(({ state }) => state);
    };
    expect([await states('snapshot'), await states('live')]).toEqual([['incomplete'], ['running']]);
  });

  it('shows the names when they are included', async () => {
    const { id: conversationId } = await aTalk();
    const { id } = await share({ conversationId, include: { names: true } });
    expect((await open(id))?.messages[0]?.name).toBe('Ada');
  });

  it('shows no email address in place of a missing name', async () => {
    const { id: conversationId } = await aTalk();
    await core.services.accounts.users.setProfile(ada.userId, { firstName: '' });
    const { id } = await share({ conversationId, include: { names: true } });
    expect((await open(id))?.messages[0]).not.toHaveProperty('name');
    await core.services.accounts.users.setProfile(ada.userId, { firstName: 'Ada' });
  });

  it('counts openings, not the reads of a page that is open, and no write is awaited', async () => {
    const { id: conversationId } = await aTalk();
    const { id } = await share({ conversationId });
    const pages = await Promise.all(Array.from({ length: 20 }, () => open(id)));
    await open(id, null, pages[0]?.revision);
    const openings = async () => (await stored(id))?.openings;
    await expect.poll(openings).toBe(20);
    const { shares } = core.services.shares;
    const failing = { ...shares, countOpenings: () => Promise.reject(new Error('no database')) };
    const { createOpenings } = await import('./openings.ts');
    const feature = {
      ...core.services.shares,
      openings: createOpenings({ shares: failing, now: () => at, log: core.log }),
    };
    expect(await openShare(feature, null, { id })).toMatchObject({ title: 'Owls' });
  });
});

describe('the end of a link', () => {
  it('comes with its time', async () => {
    const { id: conversationId } = await aTalk();
    const expiresAt = new Date(at.getTime() + DAY_MS).toISOString();
    const { id } = await share({ conversationId, expiresAt });
    at = new Date(Date.parse(expiresAt) - 1);
    expect(await textsOf(id)).toEqual(TALK);
    at = new Date(expiresAt);
    await expect(open(id)).rejects.toMatchObject(GONE);
  });

  it('by its owner erases the snapshot in the same write, and others cannot end it', async () => {
    const { id: conversationId } = await aTalk();
    const { id } = await share({ conversationId });
    await expect(revokeShare(core.services.shares, ben, id)).rejects.toMatchObject({
      code: 'not_found',
    });
    await revokeAll(core.services.shares, ben);
    expect(await textsOf(id)).toEqual(TALK);
    await revokeShare(core.services.shares, ada, id);
    await revokeShare(core.services.shares, ada, id);
    await expect(open(id)).rejects.toMatchObject(GONE);
    expect(await stored(id)).not.toHaveProperty('content');
    const [one, two] = [
      await share({ conversationId }),
      await share({ conversationId, kind: 'live' }),
    ];
    await revokeAll(core.services.shares, ada);
    for (const link of [one, two]) await expect(open(link.id)).rejects.toMatchObject(GONE);
    expect(await listShares(core.services.shares, ada)).toEqual([]);
  });

  it('comes with the deletion of the conversation, and its restoration does not bring it back', async () => {
    const { chat } = core.services;
    const { id: conversationId } = await aTalk();
    const { id } = await share({ conversationId });
    await deleteConversation(chat, ada, conversationId);
    await expect(open(id)).rejects.toMatchObject(GONE);
    expect(await stored(id)).not.toHaveProperty('content');
    await restoreConversation(chat, ada, conversationId);
    await expect(open(id)).rejects.toMatchObject(GONE);
  });

  it.each(['snapshot', 'live'] as const)(
    'of a %s comes when the process dies after the mark of the deletion, also after a restoration',
    async (kind) => {
      const { chat } = core.services;
      const { id: conversationId } = await aTalk();
      const { id } = await share({ conversationId, kind });
      await chat.deletions.markDeleted({ id: conversationId, ownerId: ada.userId }, at);
      await expect(open(id)).rejects.toMatchObject(GONE);
      await restoreConversation(chat, ada, conversationId);
      await expect(open(id)).rejects.toMatchObject(GONE);
    },
  );

  it('comes with the erasure when the process died before', async () => {
    const { chat } = core.services;
    const { id: conversationId } = await aTalk();
    const { id } = await share({ conversationId });
    await chat.deletions.markDeleted({ id: conversationId, ownerId: ada.userId }, at);
    at = new Date(at.getTime() + 120_000);
    await eraseDeleted(chat);
    expect(await stored(id)).not.toHaveProperty('content');
  });

  it('comes with a deletion between the read and the write of its creation', async () => {
    const { shares, chat } = core.services;
    const { id: conversationId } = await aTalk();
    let made = '';
    const insert: typeof shares.shares.insert = async (one) => {
      await deleteConversation(chat, ada, conversationId);
      made = one.id;
      await shares.shares.insert(one);
    };
    const feature = { ...shares, shares: { ...shares.shares, insert } };
    const body = CreateShareBody.parse({ conversationId });
    await expect(createShare(feature, ada, body)).rejects.toMatchObject({ code: 'not_found' });
    expect(await stored(made)).not.toHaveProperty('content');
    await restoreConversation(chat, ada, conversationId);
    await expect(open(made)).rejects.toMatchObject(GONE);
  });
});

describe('making a link', () => {
  it('is refused for conversations of others, temporary and empty ones, and guests', async () => {
    const { id: conversationId, replyId } = await aTalk();
    for (const body of [{ conversationId }, { replyId }])
      await expect(share(body, ben)).rejects.toMatchObject({ code: 'not_found' });
    const temporary = await aConversation(core, ada, { temporary: true });
    const empty = await aConversation(core, ada);
    for (const { id } of [temporary, empty])
      await expect(share({ conversationId: id })).rejects.toMatchObject({ code: 'invalid_field' });
    const guest = await aUser(core, { guest: true });
    const theirs = await aConversation(core, guest);
    await expect(share({ conversationId: theirs.id }, guest)).rejects.toMatchObject({
      code: 'forbidden',
    });
  });

  it(`is refused with ${MAX_SHARES} working links`, async () => {
    const carl = await aUser(core, { plan: 'pro' });
    const users = { ownerId: carl.userId, conversationOwnerId: carl.userId };
    const one = { ...users, conversationId: newId(), replyId: null, title: 'x' };
    const { shares } = core.services.shares;
    const terms = { kind: 'live', audience: 'anyone', workspaceId: null } as const;
    const include = { files: false, names: false, reasoning: false };
    const dates = { createdAt: at, expiresAt: new Date(at.getTime() + DAY_MS) };
    for (let n = 0; n < MAX_SHARES; n += 1)
      await shares.insert({ ...one, ...terms, ...dates, include, id: `link-${n}` });
    const { id } = await aConversation(core, carl);
    const adas = ada;
    ada = carl;
    try {
      await say(id, 'a', 'b');
      await expect(share({ conversationId: id })).rejects.toMatchObject({ code: 'shares_full' });
    } finally {
      ada = adas;
    }
  });
});

describe('a link that a manager makes', () => {
  /** Ben may manage a talk of Ada, and Cy may edit it. */
  async function aSharedTalk() {
    const [cy, talk] = [await aUser(core, { plan: 'starter' }), await aTalk()];
    const grants = async (to: Grant[]) => {
      const { conversations } = core.services.chat;
      const found = await conversations.find({ id: talk.id, ownerId: ada.userId });
      if (found) await conversations.replaceGrants(found, { from: found.grants, to });
    };
    await grants([
      { principal: `user:${ben.userId}`, role: 'manager' },
      { principal: `user:${cy.userId}`, role: 'editor' },
    ]);
    return { ...talk, cy, grants };
  }

  it('is the manager’s, and ended by everybody who may manage the conversation', async () => {
    const { shares } = core.services;
    const { id: conversationId, replyId, cy } = await aSharedTalk();
    await expect(share({ conversationId }, cy)).rejects.toMatchObject({ code: 'forbidden' });
    const made = await share({ conversationId }, ben);
    await share({ replyId }, ada);
    expect(await textsOf(made.id)).toEqual(TALK);
    expect((await listShares(shares, ben)).map(({ id }) => id)).toEqual([made.id]);
    for (const actor of [ada, ben])
      expect(await listSharesOf(shares, actor, conversationId)).toHaveLength(2);
    await expect(listSharesOf(shares, cy, conversationId)).rejects.toMatchObject({
      code: 'forbidden',
    });
    await expect(revokeShare(shares, cy, made.id)).rejects.toMatchObject({ code: 'not_found' });
    await revokeAll(shares, ada);
    expect(await textsOf(made.id)).toEqual(TALK);
    await revokeShare(shares, ada, made.id);
    await expect(open(made.id)).rejects.toMatchObject(GONE);
  });

  it.each(['snapshot', 'live'] as const)(
    'as %s shows nothing from the moment on in which the role is lost, and does not come back with it',
    async (kind) => {
      const { shares } = core.services;
      const { id: conversationId, grants } = await aSharedTalk();
      const { id } = await share({ conversationId, kind }, ben);
      const manager: Grant = { principal: `user:${ben.userId}`, role: 'manager' };
      await grants([{ ...manager, role: 'editor' }]);
      await expect(open(id)).rejects.toMatchObject(GONE);
      await shares.endUnmanaged({ conversationId });
      expect(await stored(id)).not.toHaveProperty('content');
      await grants([manager]);
      await expect(open(id)).rejects.toMatchObject(GONE);
    },
  );

  it('ends when the conversation is shared with nobody any more, and those of its owner stay', async () => {
    const { id: conversationId } = await aSharedTalk();
    const [bens, adas] = [await share({ conversationId }, ben), await share({ conversationId })];
    await replaceGrants(core.services.chat, ada, { id: conversationId, grants: [] });
    await expect(open(bens.id)).rejects.toMatchObject(GONE);
    await expect.poll(() => stored(bens.id)).not.toHaveProperty('content');
    expect(await textsOf(adas.id)).toEqual(TALK);
  });

  it('ends when the manager loses access with a membership', async () => {
    const { chat } = core.services;
    const { id: conversationId, grants } = await aSharedTalk();
    const { id } = await share({ conversationId }, ben);
    await grants([]);
    chat.publishLostAccess([ben.userId]);
    await expect.poll(() => stored(id)).not.toHaveProperty('content');
  });

  it('does not open while the conversation passes to another owner', async () => {
    const { id: conversationId } = await aSharedTalk();
    const { id } = await share({ conversationId });
    const handover = { from: oid(ada.userId), to: oid(ben.userId), at };
    await core.connection
      .collection('conversations')
      .updateOne({ _id: oid(conversationId) }, { $set: { handover } });
    await expect(open(id)).rejects.toMatchObject(GONE);
  });

  it('is erased with the conversation, with its owner’s account and with the maker’s', async () => {
    const { shares, chat } = core.services;
    const { id: conversationId } = await aSharedTalk();
    const made = async () => (await share({ conversationId }, ben)).id;
    const before = await shares.shares.countByOthers(ada.userId);
    const ids = [await made(), await made()];
    expect(await shares.shares.countByOthers(ada.userId)).toBe(before + 2);
    await shares.shares.removeAllOf(ada.userId);
    for (const id of ids) expect(await stored(id)).toBeNull();
    const third = await made();
    await shares.shares.removeAllOf(ben.userId);
    expect(await stored(third)).toBeNull();
    const last = await made();
    await deleteConversation(chat, ada, conversationId);
    await expect(open(last)).rejects.toMatchObject(GONE);
    expect(await stored(last)).not.toHaveProperty('content');
  });
});

describe('the audience', () => {
  it('signedIn lets registered users in', async () => {
    const { id: conversationId } = await aTalk();
    const { id } = await share({ conversationId, audience: 'signedIn' });
    await expect(open(id)).rejects.toMatchObject({ code: 'unauthenticated' });
    await expect(open(id, await aUser(core, { guest: true }))).rejects.toMatchObject({
      code: 'forbidden',
    });
    expect(await open(id, ben)).toMatchObject({ title: 'Owls' });
  });

  it('workspace lets its members in, as long as its maker is one', async () => {
    const { createWorkspace } = await import('../workspaces/workspaces.ts');
    const { workspaces } = core.services;
    const owner = await aUser(core, { plan: 'pro' });
    const { id: workspaceId } = await createWorkspace(workspaces, owner, { name: 'Owls' });
    const { id: conversationId } = await aTalk();
    const body = { conversationId, audience: 'workspace' as const, workspaceId };
    await expect(share(body)).rejects.toMatchObject({ code: 'not_found' });
    const membership = { workspaceId, userId: ada.userId };
    await workspaces.memberships.insert({ ...membership, role: 'member', joinedAt: at });
    const { id } = await share(body);
    await expect(open(id)).rejects.toMatchObject({ code: 'unauthenticated' });
    await expect(open(id, ben)).rejects.toMatchObject({ code: 'not_found' });
    expect(await open(id, owner)).toMatchObject({ title: 'Owls' });
    await workspaces.memberships.remove(membership);
    await expect(open(id, owner)).rejects.toMatchObject(GONE);
  });
});

it(`of a live link, ${MAX_SHARE_VIEWERS} pages read it at once`, async () => {
  const { shares } = core.services;
  const { id: conversationId } = await aTalk();
  const { id } = await share({ conversationId, kind: 'live' });
  const first = randomUUID();
  const read = (viewer: string) => openShare(shares, null, { id, viewer });
  expect(await read(first)).not.toHaveProperty('isFull');
  for (let n = 1; n < MAX_SHARE_VIEWERS; n += 1) await shares.viewers.enter(id, String(n));
  expect(await read(randomUUID())).toMatchObject({ title: 'Owls', isFull: true });
  expect(await read(first)).not.toHaveProperty('isFull');
  at = new Date(at.getTime() + 20_000);
  expect(await read(randomUUID())).not.toHaveProperty('isFull');
});

it('reads what one user shows one after the other, because long conversations keep the process busy', async () => {
  const { shares, chat } = core.services;
  const talks = [await aTalk(), await aTalk(), await aTalk()];
  const ids: string[] = [];
  for (const { id: conversationId } of talks) ids.push((await share({ conversationId })).id);
  let running = 0;
  let most = 0;
  const counted =
    <Of extends unknown[], Result>(read: (...of: Of) => Promise<Result>) =>
    async (...of: Of) => {
      running += 1;
      most = Math.max(most, running);
      return read(...of).finally(() => {
        running -= 1;
      });
    };
  const messages = { ...chat.messages, page: counted(chat.messages.page) };
  const feature = {
    ...shares,
    shares: { ...shares.shares, content: counted(shares.shares.content) },
    others: { ...shares.others, chat: { ...shares.others.chat, messages } },
  };
  const include = { files: false, names: false, reasoning: false };
  await Promise.all([
    ...ids.map((id) => openShare(feature, null, { id })),
    ...talks.map(({ id: conversationId }) =>
      previewShare(feature, ada, { conversationId, include }),
    ),
  ]);
  expect(most).toBe(1);
});

it('sends files to some readers at once: each keeps a connection to the store for as long as it reads', async () => {
  const { shares } = core.services;
  const { id: conversationId } = await aTalk();
  const { id } = await share({ conversationId });
  const fileId = newId();
  const sending: PassThrough[] = [];
  let opened = 0;
  const openContent = async () => {
    opened += 1;
    const read = async () => {
      const content = new PassThrough();
      sending.push(content);
      return content;
    };
    return { type: 'text/plain', disposition: 'inline', size: 4, read };
  };
  const feature = {
    ...shares,
    shares: {
      ...shares.shares,
      content: async (of: string) => {
        const stored = await shares.shares.content(of);
        return stored && { ...stored, fileIds: [fileId] };
      },
    },
    others: { ...shares.others, files: { ...shares.others.files, openContent } },
  };
  const app = express().use(shareRoutes(feature, () => (_req, _res, next) => next()));
  const { url, stop } = await serve(app);
  const file = `${url}/shares/${id}/files/${refOf(fileId)}`;
  const count = MAX_DOWNLOADS + 5;
  const read = async () => (await fetch(file)).text();
  const reading = Array.from({ length: count }, read);
  await expect.poll(() => opened).toBe(count);
  // Whoever was let in has begun when a later call is answered.
  expect((await fetch(`${url}/shares/${id}`)).status).toBe(200);
  expect(sending.length).toBeLessThanOrEqual(MAX_DOWNLOADS);
  for (let n = 0; n < count; n += 1) {
    await expect.poll(() => sending.length).toBeGreaterThan(n);
    sending[n]?.end('Hoot');
  }
  expect(await Promise.all(reading)).toEqual(Array.from({ length: count }, () => 'Hoot'));
  stop();
});

describe('continuing', () => {
  const go = (
    id: string,
    revision: string,
    actor = ben,
    clientConversationId: string = randomUUID(),
  ) => continueShare(core.services.shares, actor, { id, revision, clientConversationId });
  const messagesOf = async ({ id, activeLeafId }: Conversation) =>
    core.services.chat.messages.path({
      conversationId: id,
      ownerId: ben.userId,
      leafId: activeLeafId ?? '',
      limit: 100,
    });

  it('copies the visible branch, once, into a conversation of the reader', async () => {
    const { id: conversationId } = await aTalk();
    const { id } = await share({ conversationId });
    const revision = (await open(id))?.revision ?? '';
    const client = randomUUID();
    const copy = await go(id, revision, ben, client);
    expect(await go(id, revision, ben, client)).toMatchObject({ id: copy.id });
    expect(copy.title).toBe('Owls');
    const messages = await messagesOf(copy);
    expect(messages.map(({ content }) => content)).toEqual(TALK);
    // No memory is saved from a message without one: its reader has not typed it.
    for (const message of messages) expect(message).not.toHaveProperty('clientMessageId');
  });

  it('of one reply works too', async () => {
    const { replyId } = await aTalk();
    const { id } = await share({ replyId });
    const copy = await go(id, (await open(id))?.revision ?? '');
    expect((await messagesOf(copy)).at(-1)?.content).toBe('They hoot.');
  });

  it('asks again when the link shows something else meanwhile', async () => {
    const { id: conversationId } = await aTalk();
    const { id } = await share({ conversationId, kind: 'live' });
    const { revision = '' } = (await open(id)) ?? {};
    await say(conversationId, 'More?', 'No.');
    at = new Date(at.getTime() + 3_000);
    const changed = (await open(id))?.revision;
    await expect(go(id, revision)).rejects.toMatchObject({
      code: 'version_conflict',
      details: { revision: changed },
    });
    await expect(go(id, changed ?? '')).resolves.toMatchObject({ title: 'Owls' });
  });

  it('is refused for guests, as an import', async () => {
    const { id: conversationId } = await aTalk();
    const { id } = await share({ conversationId });
    const guest = await aUser(core, { guest: true });
    await expect(go(id, 'x', guest)).rejects.toMatchObject({ code: 'forbidden' });
  });
});
