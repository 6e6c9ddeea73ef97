import { Readable } from 'node:stream';
import type { Actor } from '../../../access/index.ts';
import {
  EXPORT_FORMAT,
  EXPORT_VERSION,
  type ExportedMessage,
  type ExportQuery,
} from '../../../contract/conversations.ts';
import type { MessageMetadata } from '../../../contract/messages.ts';
import { namedText, withSourceList } from '../../../contract/reply-text.ts';
import { cleanFileName } from '../../../text/file-name.ts';
import { type ExportEntry, nullIfGone } from '../../export-entry.ts';
import { type ConversationRecord, openConversation } from '../conversations/index.ts';
import type { ChatFeature } from '../feature.ts';
import {
  type MeasuredPlace,
  type MessageRecord,
  type ReplyRecord,
  walkUp,
} from '../messages/index.ts';
import { batches } from './batches.ts';
import { markdownHeader, markdownMessage } from './write-markdown.ts';

/** The assumed size of a message without a stored length, such as a running reply. */
const UNKNOWN = 32 * 1024;

/** The places of a conversation's messages, and the exported ones in order. */
interface Places {
  all: readonly MeasuredPlace[];
  exported: readonly MeasuredPlace[];
}

/** The parts of the chat that exports need. */
type Exports = Pick<ChatFeature, 'conversations' | 'messages' | 'others' | 'now'>;

/** An exported conversation. */
export interface ConversationFile {
  name: string;
  type: string;
  /** Can be read once; throws when a message has been removed meanwhile. */
  text: AsyncIterable<string>;
}

/** Exports a conversation: its active branch as Markdown, or all of its branches as JSON. @throws AppError not_found */
export async function exportConversation(
  chat: Exports,
  actor: Pick<Actor, 'userId'>,
  { id, format }: ExportQuery & { id: string },
): Promise<ConversationFile> {
  const conversation = await openConversation(chat, actor, { id, action: 'read' });
  const all = await chat.messages.places({ conversationId: id, ownerId: conversation.ownerId });
  const name = cleanFileName(`${conversation.title}.${format}`);
  if (format === 'json') {
    const text = toJson(chat, conversation, { all, exported: all });
    return { name, type: 'application/json', text };
  }
  const leafId = conversation.activeLeafId;
  const exported = leafId ? walkUp(all, { leafId, limit: all.length }) : [];
  return { name, type: 'text/markdown', text: toMarkdown(chat, conversation, { all, exported }) };
}

/** The messages in the given order, by batches. */
async function* read(
  { messages }: Exports,
  { id, ownerId }: ConversationRecord,
  { all, exported }: Places,
) {
  const pathLengths = new Map(all.map((place) => [place.id, place.pathLength]));
  const bytesOf = ({ parentId, pathLength }: MeasuredPlace): number => {
    const above = parentId === null ? 0 : pathLengths.get(parentId);
    return pathLength === undefined || above === undefined ? UNKNOWN : pathLength - above;
  };
  for (const batch of batches(exported, bytesOf)) {
    const wanted = batch.map((place) => place.id);
    const records = await messages.findMany(wanted, { conversationId: id, ownerId });
    // A file with a missing message must not look complete.
    if (records.length < wanted.length) throw new Error('The conversation is being erased.');
    yield records.map(toExported);
  }
}

async function* toJson(chat: Exports, conversation: ConversationRecord, places: Places) {
  const { title, createdAt, activeLeafId } = conversation;
  const header = { format: EXPORT_FORMAT, version: EXPORT_VERSION, title, createdAt };
  const fields = JSON.stringify({ ...header, exportedAt: chat.now(), activeLeafId });
  yield `${fields.slice(0, -1)},"messages":[`;
  let separator = '\n';
  for await (const batch of read(chat, conversation, places)) {
    yield separator + batch.map((message) => JSON.stringify(message)).join(',\n');
    separator = ',\n';
  }
  yield '\n]}\n';
}

async function* toMarkdown(chat: Exports, conversation: ConversationRecord, places: Places) {
  yield markdownHeader({
    version: EXPORT_VERSION,
    title: conversation.title,
    createdAt: conversation.createdAt.toISOString(),
    exportedAt: chat.now().toISOString(),
  });
  for await (const batch of read(chat, conversation, places))
    yield batch.map(markdownMessage).join('');
}

/** All conversations of a user, each as Markdown (the active branch) and as JSON (all branches). */
export async function* exportConversations(
  chat: Exports,
  userId: string,
): AsyncGenerator<ExportEntry> {
  // By their ids: the order of the list changes while it is read.
  for (const ids of batches(await chat.conversations.idsOf(userId), () => 0)) {
    const page = { ids, limit: ids.length };
    const found = await chat.conversations.page({ ownerId: userId }, page);
    for (const { id, title, createdAt } of found) {
      const name = `${createdAt.toISOString().slice(0, 10)} ${title.replaceAll('/', '_')}`;
      for (const format of ['md', 'json'] as const) {
        const open = async () => {
          const file = await exportConversation(chat, { userId }, { id, format }).catch(nullIfGone);
          return file && Readable.from(file.text);
        };
        yield { path: `conversations/${name}.${format}`, open };
      }
    }
  }
}

function toExported(record: MessageRecord): ExportedMessage {
  const { id, parentId, role, createdAt, metadata } = record;
  const files = fileNamesOf(metadata);
  return {
    id,
    parentId,
    role,
    content: role === 'user' ? record.content : withSourceList(textOf(record), metadata?.citations),
    createdAt: createdAt.toISOString(),
    ...(role === 'assistant' && endOf(record)),
    ...(files.length > 0 && { files }),
  };
}

export const fileNamesOf = (metadata: MessageMetadata | undefined): string[] =>
  (metadata?.files ?? []).map(({ name }) => name ?? 'File');

/** In a panel, the name of its author stands above each part. */
const textOf = ({ parts, content }: ReplyRecord): string => (parts ? namedText(parts) : content);

/** A running reply is exported with its text so far. */
function endOf({ status, ending }: ReplyRecord): Pick<ExportedMessage, 'status' | 'ending'> {
  if (status === 'complete') return ending ? { ending } : {};
  return { status: status === 'failed' || status === 'stopped' ? status : 'interrupted' };
}
