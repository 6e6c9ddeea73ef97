import { type Actor, requireAccess } from '../../../access/index.ts';
import {
  EXPORT_FORMAT,
  EXPORT_VERSION,
  type ExportedMessage,
  type ExportQuery,
} from '../../../contract/exports.ts';
import { namedText } from '../../../contract/part-text.ts';
import { withSourceList } from '../../../contract/source-text.ts';
import { cleanFileName } from '../../../text/file-name.ts';
import type { ConversationRecord, ConversationStore } from '../conversations/index.ts';
import {
  type MeasuredPlace,
  type MessageRecord,
  type MessageTree,
  type ReplyRecord,
  walkUp,
} from '../messages/index.ts';
import { batches } from './batches.ts';
import { markdownHeader, markdownMessage } from './write-markdown.ts';

/** What a message counts whose length is not stored, such as a reply that is still being generated. */
const UNKNOWN = 32 * 1024;

/** Where the messages of a conversation are, and those that are exported, in their order. */
interface Places {
  all: readonly MeasuredPlace[];
  exported: readonly MeasuredPlace[];
}

interface ExportDeps {
  conversations: Pick<ConversationStore, 'find'>;
  messages: Pick<MessageTree, 'places' | 'findMany'>;
  now: () => Date;
}

/** An exported conversation. */
export interface ConversationFile {
  name: string;
  type: string;
  /** Read once; it throws when a message is gone meanwhile. */
  text: AsyncIterable<string>;
}

/** Exports a conversation: its active branch as Markdown, or all of its branches as JSON. @throws AppError not_found */
export type ExportConversation = (
  actor: Pick<Actor, 'userId'>,
  id: string,
  format: ExportQuery['format'],
) => Promise<ConversationFile>;

export function createConversationExport(deps: ExportDeps): ExportConversation {
  const { conversations, messages, now } = deps;

  /** The messages in the given order, a batch at a time. */
  async function* read({ id, ownerId }: ConversationRecord, { all, exported }: Places) {
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

  async function* toJson(conversation: ConversationRecord, places: Places) {
    const { title, createdAt, activeLeafId } = conversation;
    const header = { format: EXPORT_FORMAT, version: EXPORT_VERSION, title, createdAt };
    const fields = JSON.stringify({ ...header, exportedAt: now(), activeLeafId });
    yield `${fields.slice(0, -1)},"messages":[`;
    let separator = '\n';
    for await (const batch of read(conversation, places)) {
      yield separator + batch.map((message) => JSON.stringify(message)).join(',\n');
      separator = ',\n';
    }
    yield '\n]}\n';
  }

  async function* toMarkdown(conversation: ConversationRecord, places: Places) {
    yield markdownHeader({
      version: EXPORT_VERSION,
      title: conversation.title,
      createdAt: conversation.createdAt.toISOString(),
      exportedAt: now().toISOString(),
    });
    for await (const batch of read(conversation, places)) yield batch.map(markdownMessage).join('');
  }

  return async (actor, id, format) => {
    const conversation = requireAccess(actor, await conversations.find(id), 'conversation');
    const scope = { conversationId: id, ownerId: conversation.ownerId };
    const all = await messages.places(scope);
    const name = cleanFileName(`${conversation.title}.${format}`);
    if (format === 'json') {
      const text = toJson(conversation, { all, exported: all });
      return { name, type: 'application/json', text };
    }
    const leafId = conversation.activeLeafId;
    const exported = leafId ? walkUp(all, { leafId, limit: all.length }) : [];
    return { name, type: 'text/markdown', text: toMarkdown(conversation, { all, exported }) };
  };
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
    ...(role === 'assistant' && record.status !== 'complete' && { status: statusOf(record) }),
    ...(files.length > 0 && { files }),
  };
}

/** In a panel each part stands below its author's name. */
const textOf = ({ parts, content }: ReplyRecord): string => (parts ? namedText(parts) : content);

/** A reply that is still being generated is exported with its text so far. */
const statusOf = ({ status }: ReplyRecord): ExportedMessage['status'] =>
  status === 'failed' || status === 'stopped' ? status : 'interrupted';
