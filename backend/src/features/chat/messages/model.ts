import { type Connection, type InferSchemaType, Schema, Types } from 'mongoose';
import type { ReplyError, ReplyErrorCode } from '../../../contract/errors.ts';
import type {
  MessageMetadata,
  Rating,
  ReplyFeedback,
  ReplyPart,
  ReplyPartType,
  ReplyStatus,
} from '../../../contract/messages.ts';
import { authorOf } from '../../../contract/part-text.ts';
import type { Depth, PanelChoice } from '../../../contract/reply-settings.ts';
import { taskFields } from '../../../jobs/durable-model.ts';
import type { ReplySettings } from '../../context.ts';
import type { Lane } from '../../usage/index.ts';
import { type StoredSettings, toSettings } from './settings.ts';

const { ObjectId, Mixed } = Schema.Types;

const outbox = new Schema(
  {
    /** The user message; absent when the reply was regenerated. */
    message: new Schema(
      { content: String, createdAt: Date, parentId: ObjectId, pathLength: Number, metadata: Mixed },
      { _id: false },
    ),
    /** The active leaf that the reply takes the place of; absent in an empty conversation. */
    leafBefore: ObjectId,
    /** What the conversation is to remember of the send; see `Remembered`. */
    remember: Mixed,
  },
  { _id: false },
);

// Both roles are in one collection: a page of a conversation is one query. The fields from `status` on are a reply's.
// The caller sets the dates, from its own clock.
const schema = new Schema(
  {
    conversationId: { type: ObjectId, required: true },
    ownerId: { type: ObjectId, required: true },
    role: { type: String, enum: ['user', 'assistant'], required: true },
    content: { type: String, default: '' },
    createdAt: { type: Date, required: true },
    clientMessageId: String,
    metadata: Mixed,

    /** The message that this one follows; absent for a first message. */
    parentId: ObjectId,
    /** How many messages stand above this one. */
    depth: Number,
    /** UTF-8 bytes of all messages from the first one down to this one; a reply gets it when it ends. */
    pathLength: Number,

    status: String,
    /** True while queued or streaming; absent after. */
    active: Boolean,
    attempt: Number,
    /** How many attempts lost their worker. */
    takeovers: Number,
    /** The queue's id of the job that is to run this reply. */
    jobId: String,
    /** In which lane the reply waits; absent once an attempt at it has started. */
    lane: String,
    /** When the worker of the reply last wrote its heartbeat, or when the reply was queued or ended. */
    heartbeatAt: Date,
    /** When a sweeper last looked at the reply. */
    sweptAt: Date,
    /** Code units, over all parts, of what the attempt continues; the rest of the text is its own. */
    keptLength: Number,
    /** Attempts above the one that wrote the text: they took it over and were lost themselves. */
    lostAttempts: Number,
    stopRequested: Boolean,
    error: { code: String, message: String, cause: String },
    /** What the user thinks of the reply; absent until they say so. */
    feedback: { type: { _id: false, rating: String, reason: String }, default: undefined },
    usage: { promptTokens: Number, completionTokens: Number },
    /** Only of a reply that is more than one text part; `content` holds the text parts joined. */
    parts: {
      type: [
        {
          _id: false,
          type: { type: String },
          text: String,
          /** In a panel: the member that wrote it. */
          personaId: String,
          personaName: String,
        },
      ],
      default: undefined,
    },
    /** What is reserved for the attempt that comes or runs: the prompt as estimated, the reply at most. */
    reserved: { promptTokens: Number, replyTokens: Number },
    /** What the attempt that wrote the text has sent; absent until a checkpoint has stored it. */
    sent: { promptTokens: Number },
    /** What attempts are to be charged and is not in the usage ledger yet. */
    charges: {
      type: [
        {
          _id: false,
          attempt: Number,
          promptTokens: Number,
          cachedTokens: Number,
          completionTokens: Number,
          reasoningTokens: Number,
          model: String,
          release: Boolean,
          at: Date,
        },
      ],
      default: undefined,
    },
    /** How the reply is to be written, as far as it differs from the defaults. */
    settings: Mixed,
    /** Post-steps of a complete reply that have not ended. */
    postSteps: {
      type: [
        {
          _id: false,
          name: String,
          /** Attempts so far. */
          tries: Number,
          lost: taskFields.lost,
          failures: taskFields.failures,
          heartbeatAt: taskFields.heartbeatAt,
          /** When a sweep looks whether the step has a job. */
          sweepAt: Date,
        },
      ],
      default: undefined,
    },
    /** How often each post-step has begun, by its name. */
    stepRuns: Mixed,
    /** Names of post-steps that failed every time. */
    failedSteps: { type: [String], default: undefined },
    /** The attempt whose text the search does not hold yet, 0 of a user message; absent once it holds it. */
    unindexed: Number,
    /** The rest of the send that created this reply, until it is known to be stored. */
    outbox,
  },
  { versionKey: false, minimize: false },
);
schema.index({ conversationId: 1, depth: 1 });
schema.index({ ownerId: 1 });
// A repeated send collides here.
schema.index(
  { conversationId: 1, clientMessageId: 1, role: 1 },
  { unique: true, partialFilterExpression: { clientMessageId: { $exists: true } } },
);
// One reply at a time per conversation: the database itself refuses a second one.
schema.index(
  { conversationId: 1, active: 1 },
  { unique: true, partialFilterExpression: { active: true } },
);
schema.index({ active: 1, sweptAt: 1 }, { sparse: true });
schema.index({ 'charges.at': 1 }, { sparse: true });
schema.index({ 'postSteps.sweepAt': 1 }, { sparse: true });
schema.index({ unindexed: 1 }, { sparse: true });

export type MessageDocument = InferSchemaType<typeof schema> & { _id: Types.ObjectId };

interface RecordBase {
  id: string;
  conversationId: string;
  ownerId: string;
  content: string;
  createdAt: Date;
  /** The message that this one follows; null for a first message. */
  parentId: string | null;
  /** How many messages stand above this one. */
  depth: number;
  /** UTF-16 code units of all messages from the first one down to this one; absent while a reply runs. */
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
  jobId: string;
  /** In which lane it waits for its first attempt, or for the one that continues it; absent once that has started. */
  lane?: Lane;
  stopRequested: boolean;
  /** Only of a reply that is more than one text part. */
  parts?: ReplyPart[];
  /** What the coming or running attempt may use. */
  reserved?: ReservedTokens;
  /** What may still be missing of the send that created this reply; see `createSendCompletion`. */
  outbox?: Outbox;
  error?: ReplyError;
  feedback?: ReplyFeedback;
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

/** What a send stores besides its reply. */
export interface Outbox {
  /** The user message; absent when the reply was regenerated. */
  message?: {
    content: string;
    createdAt: Date;
    parentId: string | null;
    pathLength: number;
    /** The files of the message. */
    metadata?: MessageMetadata;
  };
  /** The active leaf that the reply takes the place of; null in an empty conversation. */
  leafBefore: string | null;
  /** What the send chose for the conversation; left out, nothing. */
  remember?: Remembered;
}

/** What a conversation remembers of a send. */
export interface Remembered {
  personaId?: string | null | undefined;
  /** Null: one answer. */
  panel?: PanelChoice | null | undefined;
  depth?: Depth | undefined;
}

export type MessageRecord = UserMessageRecord | ReplyRecord;

export const defineMessageModel = (connection: Connection) =>
  connection.model('Message', schema, 'messages');

export type MessageModel = ReturnType<typeof defineMessageModel>;

/** A stored document as the plain object that leaves this folder. */
export function toRecord(doc: MessageDocument): MessageRecord {
  return doc.role === 'assistant' ? toReply(doc) : toUserMessage(doc);
}

export const toUserMessage = (doc: MessageDocument): UserMessageRecord => ({
  ...base(doc),
  role: 'user',
});

export function toReply(doc: MessageDocument): ReplyRecord {
  return {
    ...base(doc),
    role: 'assistant',
    parentId: String(doc.parentId),
    status: doc.status as ReplyStatus,
    attempt: doc.attempt ?? 0,
    takeovers: doc.takeovers ?? 0,
    jobId: doc.jobId ?? '',
    ...(doc.lane && { lane: doc.lane as Lane }),
    stopRequested: doc.stopRequested ?? false,
    settings: toSettings(doc.settings as StoredSettings | null | undefined),
    ...(doc.parts && {
      parts: doc.parts.map(({ type, text, personaId, personaName }) => ({
        type: type as ReplyPartType,
        text: text ?? '',
        ...(personaId && authorOf({ personaId, personaName: personaName ?? '' })),
      })),
    }),
    ...(doc.reserved && { reserved: toReserved(doc.reserved) }),
    ...(doc.outbox && { outbox: toOutbox(doc.outbox) }),
    ...(doc.error?.code && {
      error: {
        code: doc.error.code as ReplyErrorCode,
        message: doc.error.message ?? '',
        ...(doc.error.cause && { cause: doc.error.cause }),
      },
    }),
    ...(doc.feedback?.rating && {
      feedback: {
        rating: doc.feedback.rating as Rating,
        ...(doc.feedback.reason && { reason: doc.feedback.reason }),
      },
    }),
    ...(doc.usage && {
      usage: {
        promptTokens: doc.usage.promptTokens ?? 0,
        completionTokens: doc.usage.completionTokens ?? 0,
      },
    }),
  };
}

const toReserved = ({
  promptTokens,
  replyTokens,
}: NonNullable<MessageDocument['reserved']>): ReservedTokens => ({
  promptTokens: promptTokens ?? 0,
  replyTokens: replyTokens ?? 0,
});

const toOutbox = ({
  message,
  leafBefore,
  remember,
}: NonNullable<MessageDocument['outbox']>): Outbox => ({
  leafBefore: leafBefore ? String(leafBefore) : null,
  ...(remember && { remember: remember as Remembered }),
  ...(message?.content &&
    message.createdAt && {
      message: {
        content: message.content,
        createdAt: message.createdAt,
        parentId: message.parentId ? String(message.parentId) : null,
        pathLength: message.pathLength ?? Buffer.byteLength(message.content),
        ...(message.metadata && { metadata: message.metadata as MessageMetadata }),
      },
    }),
});

function base(doc: MessageDocument): RecordBase {
  return {
    id: String(doc._id),
    conversationId: String(doc.conversationId),
    ownerId: String(doc.ownerId),
    content: doc.content,
    createdAt: doc.createdAt,
    parentId: doc.parentId ? String(doc.parentId) : null,
    depth: doc.depth ?? 0,
    ...(typeof doc.pathLength === 'number' && { pathLength: doc.pathLength }),
    ...(doc.clientMessageId && { clientMessageId: doc.clientMessageId }),
    ...(doc.metadata && { metadata: doc.metadata as MessageMetadata }),
  };
}
