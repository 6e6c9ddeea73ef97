import { randomUUID } from 'node:crypto';
import type * as z from 'zod';
import { type Actor, needsRole } from '../../../access/index.ts';
import type { MessageMetadata, SendMessageBody, SentMessage } from '../../../contract/messages.ts';
import type { MessageFiles } from '../../files/index.ts';
import type { Payer } from '../../payer.ts';
import type { ReadAhead } from '../../usage/index.ts';
import {
  type ConversationRecord,
  openConversation,
  replyInProgress,
  type SeenConversation,
  seenConversation,
} from '../conversations/index.ts';
import type { ChatFeature } from '../feature.ts';
import { readPayer } from '../payer.ts';
import {
  type ChosenSettings,
  type SettingsOfSend,
  settingsOfSend,
  tokensOf,
} from './chosen-settings.ts';
import { lengthOfFiles } from './estimate.ts';
import { releaseUnused, reserveFirstAttempt, takePriority } from './first-attempt.ts';
import { markUsed, selectFiles } from './named-files.ts';
import { type Parent, readTip, selectParent } from './parent.ts';
import { authorsOf, presentSent, seenBy } from './present.ts';
import { type SentMessageIds, sentMessageIds } from './sent-message-model.ts';
import { repeatSend, startReply } from './start.ts';
import { nextTime, type Place } from './tree.ts';

/** A user's input: a new message. */
interface Send extends z.output<typeof SendMessageBody>, Pick<SettingsOfSend, 'summaryOf'> {
  conversationId: string;
  /** Rejects when the user has exceeded the rate limit; awaited before anything is reserved or stored. */
  admitted?: Promise<void>;
}

interface NewMessage {
  content: string;
  clientMessageId: string;
  ids: SentMessageIds;
  /** Absent when the message names no files. */
  named?: MessageFiles | undefined;
  pastes?: MessageMetadata['pastes'] | undefined;
  chosen: ChosenSettings;
}

interface Storing {
  parent: Parent;
  message: NewMessage;
  payer: Payer;
  ahead: ReadAhead;
}

/**
 * Accepts a message: returns once message and queued reply are stored and the job is in the queue.
 * @throws AppError not_found, invalid_field, subscription_required, quota_exceeded, too_many_replies, reply_in_progress; unavailable when
 * the queue does not answer: the message is then stored, and a repeated `clientMessageId` completes it
 */
export async function sendMessage(
  chat: ChatFeature,
  actor: Actor,
  send: Send,
): Promise<SentMessage> {
  const accessed = openConversation(chat, actor, {
    id: send.conversationId,
    action: 'write',
  }).then((conversation) => seenConversation(chat, actor, conversation));
  const { message, reply } = await sendTo(chat, actor, { send, accessed });
  const conversation = await accessed;
  const { userId } = actor;
  return {
    message: seenBy(userId, conversation, message),
    reply: seenBy(userId, conversation, reply),
  };
}

/** As `sendMessage`, for a conversation that is still being read or created. */
export async function sendTo(
  chat: ChatFeature,
  actor: Actor,
  {
    send: { conversationId, content, clientMessageId = randomUUID(), parentId, ...send },
    accessed,
  }: { send: Send; accessed: Promise<SeenConversation> },
): Promise<SentMessage> {
  const ids = sentMessageIds(conversationId, clientMessageId);
  const selected = selectFiles(chat, actor, send.files);
  const choosing = settingsOfSend(chat, actor, { accessed, send });
  choosing.catch(() => undefined);
  const reading = readPayer(chat, actor, accessed);
  // A repeated send needs none.
  reading.catch(() => undefined);
  const [conversation, { sent: earlier, others }, tip] = await Promise.all([
    accessed,
    // Before access is decided, and used only after it.
    chat.sentMessages.find(ids, { conversationId }, parentId ? [parentId] : []),
    readTip(chat, { conversationId, parentId }),
    send.admitted,
  ]);
  if (earlier) return repeatSend(chat, conversation, earlier);
  // Prompts read the owner's files only.
  if (selected && conversation.ownerId !== actor.userId) throw needsRole('owner');
  const paying = await reading;
  const chosen = await choosing;
  const message = {
    content,
    clientMessageId,
    ids,
    named: selected && (await selected),
    pastes: send.pastes,
    chosen,
  };
  // Another request has stored the same send between the two reads.
  const answer = () => answerStored(chat, conversation, { ids, payer: paying.payer });
  if (conversation.activeLeafId === ids.replyId) return answer();
  const candidates = [...others, ...tip];
  const parent = await selectParent(chat, conversation, { parentId, candidates });
  const stored = await storeMessage(chat, conversation, { parent, message, ...paying });
  if (!stored) return answer();
  const { inserted, siblings, priority } = stored;
  const authors = await authorsOf(chat, conversation, [inserted.reply]);
  const sent = presentSent(inserted, { siblings, replies: [], authors });
  await startReply(chat, conversation, { reply: inserted.reply, priority, sent });
  return sent;
}

/**
 * Reserves quota, then stores the message with its reply.
 * @returns null when another reply is active, or it is already stored
 */
async function storeMessage(
  chat: ChatFeature,
  conversation: ConversationRecord,
  { parent, message, payer, ahead }: Storing,
) {
  const { content, clientMessageId, ids, named, pastes, chosen } = message;
  const { replyId } = ids;
  const scope = { conversationId: conversation.id, ownerId: conversation.ownerId };
  const place = { parentId: parent.id, depth: parent.depth + 1 };
  const ofFiles = named ? lengthOfFiles(named, chosen.limits) : 0;
  const pathLength = parent.pathLength + Buffer.byteLength(content) + ofFiles;
  const [reserved, siblings, activeId] = await Promise.all([
    reserveFirstAttempt(
      chat,
      { replyId, payer },
      { tokens: tokensOf(chosen, { pathLength, messages: place.depth + 1 }), ahead },
    ),
    childrenOf(chat, conversation, place),
    named ? chat.messages.activeReplyId(scope) : null,
  ]);
  // The message will not be stored, so it does not use its files.
  if (activeId) return null;
  if (named) await markUsed(chat, scope, { fileIds: named.fileIds, replyId, payer });
  const { lane } = ahead.entitlements;
  const priority = takePriority(chat, { ...scope, userId: payer.userId, lane });
  const inserted = await chat.sentMessages.insert({
    ...scope,
    ids,
    clientMessageId,
    content,
    parentId: parent.id,
    depth: place.depth + 1,
    pathLength,
    metadata: metadataOf({ named, pastes }),
    reserved,
    payer,
    lane,
    settings: chosen.settings,
    remember: chosen.remember,
    leafBefore: conversation.activeLeafId,
    isShared: conversation.grants.length > 0,
    createdAt: nextTime(conversation, siblings, chat.now()),
    now: chat.now(),
  });
  return inserted && { inserted, siblings, priority };
}

/** The messages with this parent. Nothing follows the active leaf, unless a reply is active, which rejects this send. */
const childrenOf = async (
  { messages }: ChatFeature,
  { id: conversationId, ownerId, activeLeafId }: ConversationRecord,
  place: { parentId: string | null; depth: number },
): Promise<Place[]> =>
  place.parentId === activeLeafId ? [] : messages.children({ conversationId, ownerId }, place);

/** Another request has stored the same send meanwhile, or another reply is active. */
async function answerStored(
  chat: ChatFeature,
  conversation: ConversationRecord,
  { ids, payer }: { ids: SentMessageIds; payer: Payer },
): Promise<SentMessage> {
  const { id: conversationId } = conversation;
  const { sent: stored } = await chat.sentMessages.find(ids, { conversationId });
  await releaseUnused(chat, { replyId: ids.replyId, payer }, stored?.reply);
  if (!stored) throw await replyInProgress(chat, conversation);
  return repeatSend(chat, conversation, stored);
}

const metadataOf = ({ named, pastes = [] }: Pick<NewMessage, 'named' | 'pastes'>) =>
  named || pastes.length > 0
    ? { ...(named && { files: named.files }), ...(pastes.length > 0 && { pastes }) }
    : undefined;
