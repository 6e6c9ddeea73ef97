import type { ReplyError, ReplyErrorCode } from '../../../contract/errors.ts';
import type {
  MessageMetadata,
  Rating,
  ReplyEnding,
  ReplyFeedback,
  ReplyPart,
  ReplyPartType,
  ReplyStatus,
} from '../../../contract/messages.ts';
import type { DeltaText } from '../../../contract/replies.ts';
import { authorOf } from '../../../contract/reply-text.ts';
import { recordsBy } from '../../../db/records.ts';
import type { ReplySettings } from '../../context.ts';
import { ownPayer, type Payer, paysForOthers } from '../../payer.ts';
import type { Lane } from '../../usage/index.ts';
import type { MessageDocument } from './model.ts';
import { type Outbox, toOutbox } from './outbox-model.ts';
import { type StoredSettings, toSettings } from './settings.ts';
import { joinDeltas, partsOf, type StoredText, storedText } from './text-parts.ts';

/** The conversation of a record and its owner: every query filters by both. */
export interface Scope {
  conversationId: string;
  ownerId: string;
}

interface RecordBase extends Scope {
  id: string;
  /** Who wrote the message, or asked for the reply. */
  authorId: string;
  content: string;
  /** Its text was not read: it fits no prompt. */
  withoutText?: true;
  createdAt: Date;
  /** The message above this one; null for a first message. */
  parentId: string | null;
  /** The number of messages above this one. */
  depth: number;
  /** UTF-16 code units of all messages from the root to this one; absent while a reply runs. */
  pathLength?: number;
  metadata?: MessageMetadata;
  clientMessageId?: string;
}

export interface UserMessageRecord extends RecordBase {
  role: 'user';
}

export interface ReplyRecord extends RecordBase {
  role: 'assistant';
  parentId: string;
  status: ReplyStatus;
  attempt: number;
  takeovers: number;
  /** Lost attempts since the one that wrote the text: they took it over. */
  lostAttempts?: number;
  jobId: string;
  /** Of the next or running attempt, and of the calls about the reply. */
  payer: Payer;
  /** The lane in which it waits for its first or continuing attempt; absent once that has started. */
  lane?: Lane;
  stopRequested: boolean;
  /** The user who stopped it, or has asked for that; none, also when it ended otherwise. */
  stoppedBy?: string;
  /** Only when the reply is more than one text part. */
  parts?: ReplyPart[];
  /** The reservation of the next or running attempt. */
  reserved?: ReservedTokens;
  /** The rest of the send that created this reply; see `createSendCompletion`. */
  outbox?: Outbox;
  error?: ReplyError;
  ending?: ReplyEnding;
  /** Each user's own, by their ids. */
  feedback?: Record<string, ReplyFeedback>;
  usage?: TokenUsage;
  settings: ReplySettings;
}

export interface TokenUsage {
  promptTokens: number;
  completionTokens: number;
}

export interface ReservedTokens {
  promptTokens: number;
  replyTokens: number;
}

export type MessageRecord = UserMessageRecord | ReplyRecord;

/** A stored document as a plain object for other folders. */
export function toRecord(doc: MessageDocument): MessageRecord {
  return doc.role === 'assistant' ? toReply(doc) : toUserMessage(doc);
}

export const toUserMessage = (doc: MessageDocument): UserMessageRecord => ({
  ...base(doc),
  role: 'user',
});

export function toReply(doc: MessageDocument): ReplyRecord {
  const payer = toPayer(doc);
  return {
    ...base(doc),
    authorId: payer.userId,
    role: 'assistant',
    parentId: String(doc.parentId),
    status: doc.status as ReplyStatus,
    attempt: doc.attempt ?? 0,
    takeovers: doc.takeovers ?? 0,
    ...(doc.lostAttempts && { lostAttempts: doc.lostAttempts }),
    jobId: doc.jobId ?? '',
    payer,
    ...(doc.lane && { lane: doc.lane as Lane }),
    stopRequested: doc.stopRequested ?? false,
    ...(doc.stoppedBy &&
      (doc.stopRequested || doc.status === 'stopped') && { stoppedBy: String(doc.stoppedBy) }),
    settings: toSettings(doc.settings as StoredSettings | null | undefined),
    ...textOf(doc),
    ...(doc.reserved && { reserved: toReserved(doc.reserved) }),
    ...(doc.outbox && { outbox: toOutbox(doc.outbox) }),
    ...(doc.error?.code && {
      error: {
        code: doc.error.code as ReplyErrorCode,
        message: doc.error.message ?? '',
        ...(doc.error.cause && { cause: doc.error.cause }),
      },
    }),
    ...(doc.ending && { ending: doc.ending as ReplyEnding }),
    ...((doc.feedback?.rating || doc.ratings?.length) && { feedback: toFeedback(doc) }),
    ...(doc.usage && {
      usage: {
        promptTokens: doc.usage.promptTokens ?? 0,
        completionTokens: doc.usage.completionTokens ?? 0,
      },
    }),
  };
}

export const messagesIn = recordsBy(toRecord);
export const repliesIn = recordsBy(toReply);

/** The text with what checkpoints have added to it. */
function textOf({ content, parts, deltas }: MessageDocument): StoredText {
  const stored = {
    content: content ?? '',
    ...(parts && {
      parts: parts.map(({ type, text, personaId, personaName }) => ({
        type: type as ReplyPartType,
        text: text ?? '',
        ...(personaId && authorOf({ personaId, personaName: personaName ?? '' })),
      })),
    }),
  };
  return deltas?.length ? storedText(joinDeltas(partsOf(stored), deltas as DeltaText[])) : stored;
}

/** The owner's own field counts: an owner who became it rated as somebody else before. */
function toFeedback({
  ownerId,
  feedback,
  ratings,
}: MessageDocument): NonNullable<ReplyRecord['feedback']> {
  const own = feedback?.rating ? [{ ...feedback, userId: ownerId }] : [];
  return Object.fromEntries(
    [...(ratings ?? []), ...own].map(({ userId, rating, reason }) => [
      String(userId),
      { rating: rating as Rating, ...(reason && { reason }) },
    ]),
  );
}

/** A payer is stored unless it is the owner of the conversation. */
export const toPayer = ({ payer, ownerId }: Pick<MessageDocument, 'payer' | 'ownerId'>): Payer =>
  (payer as Payer | null | undefined) ?? ownPayer(String(ownerId));

/** The stored form of the payer of a reply, as `toPayer` reads it. */
export const storedPayer = (payer: Payer, ownerId: string): { payer?: Payer } =>
  paysForOthers(payer) || payer.ownerId !== ownerId ? { payer } : {};

/** The stored fields of metadata, for a change of a message. */
export const metadataFields = (metadata: Partial<MessageMetadata>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(metadata)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [`metadata.${name}`, value]),
  );

const toReserved = ({
  promptTokens,
  replyTokens,
}: NonNullable<MessageDocument['reserved']>): ReservedTokens => ({
  promptTokens: promptTokens ?? 0,
  replyTokens: replyTokens ?? 0,
});

function base(doc: MessageDocument): RecordBase {
  return {
    id: String(doc._id),
    conversationId: String(doc.conversationId),
    ownerId: String(doc.ownerId),
    authorId: String(doc.authorId ?? doc.ownerId),
    content: doc.content ?? '',
    createdAt: doc.createdAt,
    parentId: doc.parentId ? String(doc.parentId) : null,
    depth: doc.depth ?? 0,
    ...(typeof doc.pathLength === 'number' && { pathLength: doc.pathLength }),
    ...(doc.clientMessageId && { clientMessageId: doc.clientMessageId }),
    ...(doc.metadata && { metadata: doc.metadata as MessageMetadata }),
  };
}
