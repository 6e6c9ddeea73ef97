import { randomUUID } from 'node:crypto';
import { type Actor, requireAccess } from '../../../access/index.ts';
import type { CreatedConversation } from '../../../contract/conversations.ts';
import type { SentFile } from '../../../contract/files.ts';
import type { MessageMetadata, SentMessage } from '../../../contract/messages.ts';
import type { MemoryMode } from '../../../contract/reply-settings.ts';
import { notFound } from '../../../errors.ts';
import type { SummarySource } from '../../context.ts';
import type { FilesService, MessageFiles } from '../../files/index.ts';
import type { ReadAhead, UsageService } from '../../usage/index.ts';
import {
  type ConversationRecord,
  conversationIdOf,
  presentConversation,
  replyInProgress,
} from '../conversations/index.ts';
import {
  type ChosenSettings,
  createSettingsChoice,
  type SettingsOfSend,
} from './chosen-settings.ts';
import { estimateTokens, lengthOfFiles } from './estimate.ts';
import { selectFiles } from './named-files.ts';
import { createParentSelection, type Parent } from './parent.ts';
import { presentReply, presentUserMessage } from './present.ts';
import type { Scope } from './record.ts';
import { createRegeneration, type RegenerationDeps } from './regenerate.ts';
import { createReserving, isStarting } from './reserving.ts';
import { type SentMessageStore, sentMessageIds } from './sent-message-model.ts';
import { callCount } from './settings.ts';
import { createReplyStart } from './start.ts';
import { nextTime, type Place, withId } from './tree.ts';

interface ServiceDeps extends RegenerationDeps {
  sends: SentMessageStore;
  usage: Pick<UsageService, 'readAhead' | 'laneOf' | 'reserve' | 'release'>;
  files: Pick<FilesService, 'selectForMessage' | 'addUse'>;
}

/** What a user writes: the content of a new message. */
interface Writing extends SettingsOfSend {
  content: string;
  pastes?: Paste[] | undefined;
  /** UUID of the client; a repeated send with it creates nothing new. */
  clientMessageId?: string | undefined;
  /** Files of the sender that the message names. */
  files?: readonly SentFile[] | undefined;
}

interface Send extends Writing {
  conversationId: string;
  /** The reply that the message follows; null for a new first message; left out, the active leaf. */
  parentId?: string | null | undefined;
  /** Rejects when the user has sent too much; awaited before anything is reserved or stored. */
  admitted?: Promise<void>;
}

interface FirstSend {
  title: string;
  /** UUID of the client; a repeated one names the same conversation. */
  clientConversationId?: string | undefined;
  temporary?: boolean | undefined;
  trial?: boolean | undefined;
  memory?: MemoryMode | undefined;
  message: Omit<Writing, 'summaryOf'> & {
    /** The conversation that the reply is to sum up. */
    summaryOf?: string | undefined;
  };
  admitted?: Promise<void>;
}

/** Sends messages and regenerates replies. Records of another user answer 404. */
export type MessageService = ReturnType<typeof createMessageService>;

export function createMessageService(deps: ServiceDeps) {
  const { conversations, messages, sends, usage, files } = deps;
  const { start, repeat, publishConversation } = createReplyStart(deps);
  const { reserve, release, takePriority } = createReserving(deps);
  const { readTip, selectParent, lengthDownTo } = createParentSelection(messages);
  const { ofSend } = createSettingsChoice(deps);

  const access = async (actor: Actor, id: string): Promise<ConversationRecord> =>
    requireAccess(actor, await conversations.find(id), 'conversation');

  /** The active path of a conversation that has messages. @throws AppError not_found */
  const findSummarised = async (actor: Actor, id: string): Promise<SummarySource> => {
    const { activeLeafId, ...scope } = await access(actor, id);
    const conversationId = scope.id;
    const leaf = activeLeafId && (await messages.find(activeLeafId, { ...scope, conversationId }));
    if (!leaf) throw notFound('conversation');
    return { conversationId, leafId: leaf.id, bytes: await lengthDownTo(leaf) };
  };

  /** The messages with this parent. Nothing follows the active leaf, unless a reply is active: then this send is refused. */
  const childrenOf = async (
    { id: conversationId, ownerId, activeLeafId }: ConversationRecord,
    place: { parentId: string | null; depth: number },
  ): Promise<Place[]> =>
    place.parentId === activeLeafId ? [] : messages.children({ conversationId, ownerId }, place);

  /** Before the message is stored, so that no file that a message names is deleted as unused. */
  const markUsed = async (
    { fileIds }: MessageFiles,
    scope: Scope,
    replyId: string,
  ): Promise<void> => {
    try {
      await files.addUse({ ...scope, fileIds });
    } catch (error) {
      // Not awaited: when the database is silent, the user would wait for its time limit twice. The sweep releases what stays.
      release(replyId, scope.ownerId).catch(() => undefined);
      throw error;
    }
  };

  /** Reserves quota, then stores the message with its reply. @returns null when another reply is active, or it is stored already */
  const store = async (
    conversation: ConversationRecord,
    parent: Parent,
    {
      content,
      clientMessageId,
      ids,
      ahead,
      named,
      pastes,
      chosen,
    }: NewMessage & { ahead: ReadAhead },
  ) => {
    const scope = { conversationId: conversation.id, ownerId: conversation.ownerId };
    const place = { parentId: parent.id, depth: parent.depth + 1 };
    const { limits } = chosen;
    const ofFiles = named ? lengthOfFiles(named, limits) : 0;
    const pathLength = parent.pathLength + Buffer.byteLength(content) + ofFiles;
    const { depth } = chosen.settings;
    const calls = callCount(chosen.settings);
    const { parts, summaryBytes } = chosen.added;
    const length = pathLength + summaryBytes;
    const size = { length, parts, messages: place.depth + 1, depth, calls };
    const [reserved, siblings, activeId] = await Promise.all([
      reserve(
        { replyId: ids.replyId, ownerId: scope.ownerId },
        estimateTokens(size, limits),
        ahead,
      ),
      childrenOf(conversation, place),
      named ? messages.activeReplyId(scope) : null,
    ]);
    // The message will not be stored: its files are not used by it.
    if (activeId) return null;
    if (named) await markUsed(named, scope, ids.replyId);
    const { lane } = ahead.entitlements;
    const priority = takePriority({ ownerId: scope.ownerId, lane });
    const inserted = await sends.insert({
      ...scope,
      ids,
      clientMessageId,
      content,
      parentId: parent.id,
      depth: place.depth + 1,
      pathLength,
      metadata: metadataOf({ named, pastes }),
      reserved,
      lane,
      settings: chosen.settings,
      remember: chosen.remember,
      leafBefore: conversation.activeLeafId,
      createdAt: nextTime(conversation, siblings, deps.now()),
      now: deps.now(),
    });
    return inserted && { inserted, siblings, priority };
  };

  /** The same send was stored by another request meanwhile, or another reply is active. */
  const yieldTo = async (conversation: ConversationRecord, { ids }: NewMessage) => {
    const { id: conversationId, ownerId } = conversation;
    const { sent: stored } = await sends.find(ids, { conversationId, ownerId });
    // The reservation is that of the stored reply, unless its first attempt has ended by now.
    if (!stored || !isStarting(stored.reply)) await release(ids.replyId, ownerId);
    if (!stored) throw replyInProgress();
    return repeat(conversation, stored);
  };

  const sendTo = async (
    actor: Actor,
    { conversationId, content, clientMessageId = randomUUID(), parentId, ...send }: Send,
    accessed: Promise<ConversationRecord>,
  ): Promise<SentMessage> => {
    const ids = sentMessageIds(conversationId, clientMessageId);
    const scope = { conversationId, ownerId: actor.userId };
    const selected = selectFiles(files, actor, send.files);
    const choosing = ofSend(accessed, send, actor);
    choosing.catch(() => undefined);
    const [conversation, { sent: earlier, others }, tip, ahead] = await Promise.all([
      accessed,
      sends.find(ids, scope, parentId ? [parentId] : []),
      readTip({ ...scope, parentId }),
      usage.readAhead(actor),
      send.admitted,
    ]);
    if (earlier) return repeat(conversation, earlier);
    const chosen = await choosing;
    const message = {
      content,
      clientMessageId,
      ids,
      named: selected && (await selected),
      pastes: send.pastes,
      chosen,
    };
    // Another request has stored this very send between the two reads.
    if (conversation.activeLeafId === ids.replyId) return yieldTo(conversation, message);
    const parent = await selectParent(conversation, { parentId }, [...others, ...tip]);
    const stored = await store(conversation, parent, { ...message, ahead });
    if (!stored) return yieldTo(conversation, message);
    const { inserted, siblings, priority } = stored;
    const sent = {
      message: presentUserMessage(inserted.message, withId(siblings, ids.messageId)),
      reply: presentReply(inserted.reply, [ids.replyId]),
    };
    await start(conversation, { reply: inserted.reply, priority }, sent);
    return sent;
  };

  /** Not deleted: a deleted one is not created again. */
  const createConversation = async (
    {
      ownerId,
      title,
      clientConversationId,
      temporary,
      trial,
      memory,
    }: FirstSend & { ownerId: string },
    admitted: Promise<void> | undefined,
  ): Promise<ConversationRecord> => {
    await admitted;
    const now = deps.now();
    const fields = { ownerId, title, clientConversationId, temporary, trial, memory };
    const created = await conversations.insert({ ...fields, now });
    if (created.isDeleted) throw notFound('conversation');
    return created;
  };

  return {
    /**
     * Accepts a message: returns once message and queued reply are stored and the job is in the queue.
     * @throws AppError not_found, invalid_field, subscription_required, quota_exceeded, too_many_replies,
     *   reply_in_progress; unavailable when the queue does not answer: the message is stored then, and the same
     *   `clientMessageId` sent again completes it.
     */
    send: (actor: Actor, send: Send): Promise<SentMessage> =>
      sendTo(actor, send, access(actor, send.conversationId)),

    /**
     * Creates a conversation and accepts its first message. The conversation is stored before the message is, while what
     * the send needs is read. A repeated `clientConversationId` sends to the conversation that it created.
     * @throws AppError as `send`; the conversation exists then, and the next send goes to it.
     */
    sendFirst: async (actor: Actor, first: FirstSend): Promise<CreatedConversation> => {
      const { clientConversationId = randomUUID(), admitted } = first;
      const { summaryOf: source, ...message } = first.message;
      const summaryOf = source && (await findSummarised(actor, source));
      const conversationId = conversationIdOf(actor.userId, clientConversationId);
      const named = { ...first, clientConversationId, ownerId: actor.userId };
      const creating = createConversation(named, admitted);
      const send = {
        ...message,
        conversationId,
        ...(admitted && { admitted }),
        ...(summaryOf && { summaryOf }),
      };
      const sent = await sendTo(actor, send, creating).catch(async (error: unknown) => {
        publishConversation(await creating);
        throw error;
      });
      return { ...presentConversation(await creating), sent };
    },

    regenerate: createRegeneration(deps),
  };
}

interface NewMessage {
  content: string;
  clientMessageId: string;
  ids: ReturnType<typeof sentMessageIds>;
  /** Left out when the message names no files. */
  named?: MessageFiles | undefined;
  pastes?: Paste[] | undefined;
  chosen: ChosenSettings;
}

type Paste = NonNullable<MessageMetadata['pastes']>[number];

const metadataOf = ({ named, pastes = [] }: Pick<NewMessage, 'named' | 'pastes'>) =>
  named || pastes.length > 0
    ? { ...(named && { files: named.files }), ...(pastes.length > 0 && { pastes }) }
    : undefined;
