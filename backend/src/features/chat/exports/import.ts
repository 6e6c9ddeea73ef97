import { randomUUID } from 'node:crypto';
import { type Actor, audienceOf, requireRegistered } from '../../../access/index.ts';
import type { Conversation } from '../../../contract/conversations.ts';
import type { ImportConversationBody } from '../../../contract/exports.ts';
import { MAX_IMPORT_BYTES, MAX_TITLE_LENGTH } from '../../../contract/limits.ts';
import { AppError, notFound } from '../../../errors.ts';
import type { Log } from '../../../log.ts';
import type { Bus } from '../../../realtime/bus.ts';
import type { UsageService } from '../../usage/index.ts';
import {
  type ConversationImportStore,
  type ConversationRecord,
  type ImportKey,
  presentConversation,
} from '../conversations/index.ts';
import { batches } from './batches.ts';
import { buildTree, type ImportedMessage, wholeCharacters } from './imported-tree.ts';
import type { ImportedMessageStore } from './message-model.ts';
import { readJson } from './read-json.ts';
import { readMarkdown } from './read-markdown.ts';

const RETRY_SECONDS = 5;
const NO_TITLE = 'Imported conversation';

interface ImportDeps {
  imports: ConversationImportStore;
  imported: ImportedMessageStore;
  usage: Pick<UsageService, 'readAhead'>;
  bus: Pick<Bus, 'publish'>;
  newId: () => string;
  now: () => Date;
  log: Log;
}

/**
 * Imports a conversation; the same `clientConversationId` returns the same conversation. It is visible once all of it is stored.
 * @throws AppError forbidden for guests; subscription_required; too_large; invalid_field with what is wrong with the file; not_found
 *   when the conversation was deleted since; unavailable while another request stores it, or when it could not be stored
 */
export type ImportConversation = (
  actor: Actor,
  body: ImportConversationBody,
) => Promise<Conversation>;

export function createConversationImport(deps: ImportDeps): ImportConversation {
  const { imports, imported, usage, bus, newId, now, log } = deps;

  const store = async (key: ImportKey, messages: readonly ImportedMessage[]): Promise<void> => {
    const scope = { conversationId: key.id, ownerId: key.ownerId };
    for (const batch of batches(messages, ({ content }) => Buffer.byteLength(content))) {
      if (!(await imports.renew(key, now()))) throw notStored();
      await imported.insert(batch, scope);
    }
  };

  /** What this fails to remove is erased as a deleted conversation is. */
  const undo = async (key: ImportKey, messages: readonly ImportedMessage[]): Promise<void> => {
    try {
      const ids = messages.map(({ id }) => id);
      await imported.remove(ids, key);
      await imports.abandon(key);
    } catch (error) {
      log.warn({ err: error, conversationId: key.id }, 'a failed import is removed later');
    }
  };

  const complete = async (
    key: ImportKey,
    { messages, activeLeafId }: ReturnType<typeof buildTree>,
  ): Promise<ConversationRecord> => {
    try {
      await store(key, messages);
    } catch (error) {
      await undo(key, messages);
      throw error;
    }
    const newest = messages.reduce((time, it) => Math.max(time, it.createdAt.getTime()), 0);
    const updatedAt = new Date(Math.max(now().getTime(), newest));
    const completed = await imports.complete(key, { activeLeafId, updatedAt });
    if (completed) return completed;
    await undo(key, messages);
    throw notStored();
  };

  return async (actor, { format, text, clientConversationId }) => {
    requireRegistered(actor);
    if (!(await usage.readAhead(actor)).entitlements.mayChat) throw subscriptionRequired();
    if (Buffer.byteLength(text) > MAX_IMPORT_BYTES) throw tooLarge();
    const at = now();
    const file = format === 'json' ? readJson(text) : await readMarkdown(text, at);
    const tree = buildTree(file, { now: at, newId });
    const created = Math.min(Date.parse(file.createdAt ?? ''), at.getTime());
    const begun = await imports.begin({
      ownerId: actor.userId,
      importId: randomUUID(),
      clientConversationId,
      title: titleOf(file.title),
      createdAt: Number.isNaN(created) ? at : new Date(created),
      now: at,
    });
    if ('found' in begun) return existing(begun);
    const record = await complete(begun.begun, tree);
    const conversation = presentConversation(record);
    for (const userId of audienceOf(record))
      void bus.publish(userId, 'conversation:changed', conversation);
    return conversation;
  };
}

function existing({ found, isImporting }: { found: ConversationRecord; isImporting: boolean }) {
  if (isImporting) throw beingImported();
  if (found.isDeleted) throw notFound('conversation');
  return presentConversation(found);
}

/** One line of at most so many characters; never half of one. */
function titleOf(title: string): string {
  const line = wholeCharacters(title)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  let kept = '';
  for (const character of line) {
    if (kept.length + character.length > MAX_TITLE_LENGTH) break;
    kept += character;
  }
  return kept.trim() || NO_TITLE;
}

const subscriptionRequired = () =>
  new AppError('subscription_required', 'Choose a plan to import conversations.');

const tooLarge = () => new AppError('too_large', 'This file is too large to import.');

const beingImported = () =>
  new AppError('unavailable', 'This conversation is being imported. Wait a few seconds.', {
    retryAfter: RETRY_SECONDS,
  });

const notStored = () =>
  new AppError('unavailable', 'The conversation was not imported. Please try again.', {
    retryAfter: RETRY_SECONDS,
  });
