import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { MAX_SHARED_BYTES, MAX_SHARED_MESSAGES } from '../../contract/limits.ts';
import type { SharedContent, SharedMessage } from '../../contract/shares.ts';
import type { MessageRecord } from '../chat/index.ts';
import { nameOf } from '../workspaces/index.ts';
import type { SharesFeature } from './feature.ts';
import { type Content, fileIdsOf, isQuoting, presentShared } from './present.ts';
import type { ShareRecord, StoredContent } from './share-model.ts';

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** What is shared, and with what besides the texts. */
export type Shown = Pick<
  ShareRecord,
  'conversationOwnerId' | 'conversationId' | 'replyId' | 'include'
>;

/**
 * Reads what a link shows now: the visible branch of the conversation's owner, or one reply.
 * @returns null when the conversation or the reply is gone
 */
export async function readContent(
  { others }: Pick<SharesFeature, 'others'>,
  { conversationOwnerId: ownerId, conversationId, replyId, include }: Shown,
): Promise<Content | null> {
  const { chat, accounts } = others;
  const conversation = await chat.conversations.find({ id: conversationId, ownerId });
  if (!conversation) return null;
  const records = replyId
    ? await readReply(chat, { ownerId, conversationId, replyId })
    : await readBranch(chat, conversation);
  if (!records) return null;
  const authorIds = [...new Set([ownerId, ...records.map(({ authorId }) => authorId)])];
  const users = new Map((await accounts.users.findAll(authorIds)).map((user) => [user.id, user]));
  if (!users.has(ownerId)) return null;
  // A link may be open to anyone: no email address stands in place of a missing name.
  const authorOf = ({ authorId }: MessageRecord) => {
    const user = users.get(authorId);
    return nameOf(user && { ...user, email: null });
  };
  const shown = {
    title: replyId ? null : conversation.title,
    messages: records.map((record) =>
      presentShared(record, { include, authorName: authorOf(record) }),
    ),
    isCut: !replyId && (records[0]?.parentId ?? null) !== null,
  };
  return {
    shown,
    revision: revisionOf(shown),
    fileIds: include.files ? fileIdsOf(records) : [],
    quoting: records.filter(isQuoting).length,
  };
}

type Chat = SharesFeature['others']['chat'];

async function readReply(
  { messages, withLiveText }: Chat,
  {
    ownerId,
    conversationId,
    replyId,
  }: { ownerId: string; conversationId: string; replyId: string },
): Promise<MessageRecord[] | null> {
  const reply = await messages.find(replyId, { conversationId, ownerId });
  return reply?.role === 'assistant' ? [await withLiveText(reply)] : null;
}

async function readBranch(
  { messages, withLiveText }: Chat,
  {
    id,
    ownerId,
    activeLeafId: leafId,
  }: { id: string; ownerId: string; activeLeafId: string | null },
): Promise<MessageRecord[]> {
  if (leafId === null) return [];
  const scope = { conversationId: id, ownerId };
  const limit = MAX_SHARED_MESSAGES;
  const deepest = await messages.deepest(scope, { limit });
  const end = { leafId, limit, deepest, maxBytes: MAX_SHARED_BYTES };
  const branch = await messages.page(scope, end);
  return Promise.all(
    branch.map(async ({ record }) => (record.role === 'assistant' ? withLiveText(record) : record)),
  );
}

const revisionOf = (shown: SharedContent): string =>
  createHash('sha256').update(JSON.stringify(shown)).digest('base64url').slice(0, 22);

/** What a snapshot stores. */
export const storedOf = async ({ shown, revision, fileIds }: Content): Promise<StoredContent> => ({
  revision,
  content: await compress(JSON.stringify(shown)),
  fileIds,
});

/** For so long a process answers with what it read of a live link. */
const LIVE_MS = 2_000;
/** Live links that a process remembers: they take a few megabytes each. */
const MAX_LIVE = 20;

/** What a live link shows, read once for all pages that ask at the same time. */
export function liveContent(feature: SharesFeature, share: ShareRecord): Promise<Content | null> {
  const { live, now } = feature;
  const at = now().getTime();
  const known = live.get(share.id);
  if (known && at - known.at < LIVE_MS) return known.content;
  live.delete(share.id);
  const [oldest] = live.keys();
  if (live.size >= MAX_LIVE && oldest !== undefined) live.delete(oldest);
  const content = readContent(feature, share);
  const entry = { at, content };
  live.set(share.id, entry);
  const forget = () => {
    if (live.get(share.id) === entry) live.delete(share.id);
  };
  setTimeout(forget, LIVE_MS).unref();
  content.catch(forget);
  return content;
}

/** What a snapshot shows; null once it has ended. */
export async function snapshotContent(
  { shares }: Pick<SharesFeature, 'shares'>,
  { id, revision }: ShareRecord,
): Promise<Omit<Content, 'quoting'> | null> {
  const stored = await shares.content(id);
  if (!stored || revision === null) return null;
  const text = String(await decompress(stored.content));
  const shown = JSON.parse(text) as SharedContent;
  const messages = shown.messages.map(asEnded);
  return { shown: { ...shown, messages }, revision, fileIds: stored.fileIds };
}

/** A reply that was being written then is never completed in a snapshot. */
const asEnded = (message: SharedMessage): SharedMessage =>
  message.state === 'running' ? { ...message, state: 'incomplete' } : message;
