import { randomUUID } from 'node:crypto';
import { type Actor, requireRegistered } from '../../../access/index.ts';
import type { Conversation } from '../../../contract/conversations.ts';
import type { MessageFile } from '../../../contract/messages.ts';
import { AppError, notFound } from '../../../errors.ts';
import { UnreadableFileError } from '../../../reading/index.ts';
import { inFolder, linesOf, readAnswer } from '../../child-exchange.ts';
import { ownPayer } from '../../payer.ts';
import {
  type ConversationRecord,
  type ImportKey,
  presentConversation,
} from '../conversations/index.ts';
import type { ChatFeature } from '../feature.ts';
import { batches } from './batches.ts';
import { BODY_FILE, type ImportHead, messageOfLine } from './import-exchange.ts';
import { tooLarge } from './refusals.ts';

const RETRY_SECONDS = 5;

/** The parts of the chat that an import needs. */
export type Imports = Pick<
  ChatFeature,
  'imports' | 'imported' | 'reader' | 'bus' | 'now' | 'log'
> & {
  others: {
    usage: Pick<ChatFeature['others']['usage'], 'readAhead'>;
    files: Pick<ChatFeature['others']['files'], 'addUse' | 'releaseConversation'>;
  };
};

/** Files of the actor that stand in place of the named ones, by the places of the messages and of their files in the body. */
export type AttachedFiles = readonly (readonly (MessageFile | undefined)[])[];

/** The result of the child. */
interface Read {
  head: ImportHead;
  /** The messages, one line of JSON each. */
  rest: Buffer;
}

/**
 * Imports a conversation; the same `clientConversationId` returns the same conversation. It becomes visible once all of it is stored.
 * @param readFile reads an `ImportConversationBody` as unparsed JSON, once the actor may import
 * @throws AppError forbidden for guests; subscription_required; too_large; malformed; invalid_field with the fault in the file; not_found
 * when the conversation was deleted since; unavailable while another request stores it, or when it could not be stored
 */
export async function importConversation(
  chat: Imports,
  actor: Actor,
  readFile: () => Promise<Buffer>,
  files: AttachedFiles = [],
): Promise<Conversation> {
  requireRegistered(actor);
  if (!(await chat.others.usage.readAhead(ownPayer(actor.userId), actor)).entitlements.mayChat)
    throw subscriptionRequired();
  const read = await readImport(chat, actor, await readFile());
  const { clientConversationId, title, createdAt } = read.head;
  const begun = await chat.imports.begin({
    ownerId: actor.userId,
    importId: randomUUID(),
    clientConversationId,
    title,
    createdAt: new Date(createdAt),
    now: chat.now(),
  });
  if ('found' in begun) return existing(begun);
  const record = await store(chat, begun.begun, { ...read, files });
  const conversation = presentConversation(record);
  void chat.bus.publish(record.ownerId, 'conversation:changed', conversation);
  return conversation;
}

const readImport = ({ reader }: Imports, { userId }: Actor, body: Buffer): Promise<Read> =>
  inFolder({ [BODY_FILE]: body }, async (folder) => {
    const task = { task: 'readImport', path: folder, group: userId } as const;
    const { head, rest } = readAnswer(await reader.runTask(task).catch(orTooLarge));
    return { head: head as ImportHead, rest };
  });

/** Stores the messages in batches, then shows the conversation. A failed import is undone. */
async function store(
  chat: Imports,
  key: ImportKey,
  read: Read & { files: AttachedFiles },
): Promise<ConversationRecord> {
  const { imports, imported, others, now } = chat;
  const scope = { conversationId: key.id, ownerId: key.ownerId };
  const ids: string[] = [];
  try {
    const fileIds = new Set(read.files.flat().flatMap((file) => file?.id ?? []));
    if (fileIds.size > 0) await others.files.addUse({ ...scope, fileIds: [...fileIds] });
    for (const lines of batches(linesOf(read.rest), (line) => Buffer.byteLength(line))) {
      if (!(await imports.renew(key, now()))) throw notStored();
      const messages = lines.map((line, at) => ({
        ...messageOfLine(line),
        attached: read.files[ids.length + at],
      }));
      ids.push(...messages.map(({ id }) => id));
      await imported.insert(messages, scope);
    }
  } catch (error) {
    await undo(chat, key, ids);
    throw error;
  }
  const { activeLeafId, newestAt } = read.head;
  const updatedAt = new Date(Math.max(now().getTime(), Date.parse(newestAt)));
  const completed = await imports.complete(key, { activeLeafId, updatedAt });
  if (completed) return completed;
  await undo(chat, key, ids);
  throw notStored();
}

/** A conversation that this cannot remove is erased like a deleted one. */
async function undo(
  { imports, imported, others, log }: Imports,
  key: ImportKey,
  ids: readonly string[],
): Promise<void> {
  try {
    const scope = { conversationId: key.id, ownerId: key.ownerId };
    await imported.remove(ids, scope);
    await others.files.releaseConversation(scope);
    await imports.abandon(key);
  } catch (error) {
    log.warn({ err: error, conversationId: key.id }, 'failed import will be removed later');
  }
}

function existing({ found, isImporting }: { found: ConversationRecord; isImporting: boolean }) {
  if (isImporting) throw beingImported();
  if (found.isDeleted) throw notFound('conversation');
  return presentConversation(found);
}

const subscriptionRequired = () =>
  new AppError('subscription_required', 'Choose a plan to import conversations.');

function orTooLarge(error: unknown): never {
  throw error instanceof UnreadableFileError ? tooLarge() : error;
}

const beingImported = () =>
  new AppError('unavailable', 'This conversation is being imported. Wait a few seconds.', {
    retryAfter: RETRY_SECONDS,
  });

const notStored = () =>
  new AppError('unavailable', 'The conversation was not imported. Please try again.', {
    retryAfter: RETRY_SECONDS,
  });
