import { Readable } from 'node:stream';
import { type Actor, requireAccess } from '../../../access/index.ts';
import {
  EXPORT_FORMAT,
  EXPORT_VERSION,
  type ExportedMessage,
  type ExportQuery,
} from '../../../contract/exports.ts';
import { namedText } from '../../../contract/part-text.ts';
import { withSourceList } from '../../../contract/source-text.ts';
import { AppError } from '../../../errors.ts';
import { cleanFileName } from '../../../text/file-name.ts';
import type { ExportEntry } from '../../export-entry.ts';
import type { ConversationRecord } from '../conversations/index.ts';
import type { ChatFeature } from '../feature.ts';
import {
  type MeasuredPlace,
  type MessageRecord,
  type ReplyRecord,
  walkUp,
} from '../messages/index.ts';
import { batches } from './batches.ts';
import { markdownHeader, markdownMessage } from './write-markdown.ts';

/** What a message counts whose length is not stored, such as a reply that is still being generated. */
const UNKNOWN = 32 * 1024;
/** Conversations that are listed at a time. */
const PAGE = 100;

/** Where the messages of a conversation are, and those that are exported, in their order. */
interface Places {
  all: readonly MeasuredPlace[];
  exported: readonly MeasuredPlace[];
}

/** What exports need of the chat. */
type Exports = Pick<ChatFeature, 'conversations' | 'messages' | 'now'>;

/** An exported conversation. */
export interface ConversationFile {
  name: string;
  type: string;
  /** Read once; it throws when a message is gone meanwhile. */
  text: AsyncIterable<string>;
}

/** Exports a conversation: its active branch as Markdown, or all of its branches as JSON. @throws AppError not_found */
export async function exportConversation(
  chat: Exports,
  actor: Pick<Actor, 'userId'>,
  { id, format }: ExportQuery & { id: string },
): Promise<ConversationFile> {
  const conversation = requireAccess(actor, await chat.conversations.find(id), 'conversation');
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

/** The messages in the given order, a batch at a time. */
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
    // A file that lacks a message must not look whole.
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

/** All conversations of a user: each as Markdown (the branch that is shown) and as JSON (all branches). */
export async function* exportConversations(
  chat: Exports,
  userId: string,
): AsyncGenerator<ExportEntry> {
  let before: ConversationRecord | undefined;
  for (;;) {
    const page = await chat.conversations.page(userId, { before, limit: PAGE });
    for (const { id, title, createdAt } of page) {
      const name = `${createdAt.toISOString().slice(0, 10)} ${title.replaceAll('/', '_')}`;
      for (const format of ['md', 'json'] as const) {
        const open = async () => {
          const file = await exportConversation(chat, { userId }, { id, format }).catch(nullIfGone);
          return file && Readable.from(file.text);
        };
        yield { path: `conversations/${name}.${format}`, open };
      }
    }
    before = page.at(-1);
    if (page.length < PAGE) return;
  }
}

/** Deleted since it was listed. */
function nullIfGone(error: unknown): null {
  if (error instanceof AppError && error.code === 'not_found') return null;
  throw error;
}

function toExported(record: MessageRecord): ExportedMessage {
  const { id, parentId, role, createdAt, metadata } = record;
  const files = (metadata?.files ?? []).map(({ name }) => name ?? 'File');
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

/** In a panel each part stands below its author's name. */
const textOf = ({ parts, content }: ReplyRecord): string => (parts ? namedText(parts) : content);

/** A reply that is still being generated is exported with its text so far. */
function endOf({ status, ending }: ReplyRecord): Pick<ExportedMessage, 'status' | 'ending'> {
  if (status === 'complete') return ending ? { ending } : {};
  return { status: status === 'failed' || status === 'stopped' ? status : 'interrupted' };
}
