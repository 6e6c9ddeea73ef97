import { type Connection, type InferSchemaType, Schema, Types } from 'mongoose';
import type { ReplyErrorCode } from '../../../contract/errors.ts';
import type { MessageMetadata, ReplyStatus } from '../../../contract/messages.ts';

const { ObjectId, Mixed } = Schema.Types;

// Both roles stand in one collection: a conversation is read in one go, in order. The fields from `status`
// on are a reply's. Dates are set by the caller, who owns the clock.
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

    status: String,
    /** True while queued or streaming; absent after. */
    active: Boolean,
    attempt: Number,
    /** How many attempts lost their worker. */
    takeovers: Number,
    /** The queue's id of the job that is to run this reply. */
    jobId: String,
    /** When a worker last showed that it has the reply in hand, or when the reply was queued. */
    heartbeatAt: Date,
    /** The next attempt keeps the text and goes on from it. */
    keepText: Boolean,
    stopRequested: Boolean,
    error: { code: String, message: String },
    usage: { promptTokens: Number, completionTokens: Number },
    /** Only of a reply that is more than one text part; `content` holds the text parts joined. */
    parts: { type: [{ _id: false, type: { type: String }, text: String }], default: undefined },
    /** What is reserved for the attempt that comes or runs: the prompt as estimated, the reply at most. */
    reserved: { promptTokens: Number, replyTokens: Number },
    /** Ended, but its usage is not in the person's account yet. */
    unsettled: Boolean,
    /** The user message of this turn until a worker has seen that it is stored: both appear or none. */
    outbox: { content: String, createdAt: Date },
  },
  { versionKey: false, minimize: false },
);
schema.index({ conversationId: 1, createdAt: 1, _id: 1 });
schema.index({ ownerId: 1 });
// A send that is repeated is the same send.
schema.index(
  { conversationId: 1, clientMessageId: 1, role: 1 },
  { unique: true, partialFilterExpression: { clientMessageId: { $exists: true } } },
);
// One reply at a time per conversation: the database itself refuses a second one.
schema.index(
  { conversationId: 1, active: 1 },
  { unique: true, partialFilterExpression: { active: true } },
);
schema.index({ active: 1, heartbeatAt: 1 }, { sparse: true });
schema.index({ unsettled: 1 }, { sparse: true });

export type MessageDocument = InferSchemaType<typeof schema> & { _id: Types.ObjectId };

interface RecordBase {
  id: string;
  conversationId: string;
  ownerId: string;
  content: string;
  createdAt: Date;
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
  keepText: boolean;
  stopRequested: boolean;
  error?: { code: ReplyErrorCode; message: string };
  usage?: TokenUsage;
}

export interface TokenUsage {
  promptTokens: number;
  completionTokens: number;
}

export type MessageRecord = UserMessageRecord | ReplyRecord;

export const defineMessageModel = (connection: Connection) =>
  connection.model('Message', schema, 'messages');

export type MessageModel = ReturnType<typeof defineMessageModel>;

/** A stored document as the plain object that leaves this folder. */
export function toRecord(doc: MessageDocument): MessageRecord {
  return doc.role === 'assistant' ? toReply(doc) : { ...base(doc), role: 'user' };
}

export function toReply(doc: MessageDocument): ReplyRecord {
  return {
    ...base(doc),
    role: 'assistant',
    parentId: String(doc.parentId),
    status: doc.status as ReplyStatus,
    attempt: doc.attempt ?? 0,
    takeovers: doc.takeovers ?? 0,
    jobId: doc.jobId ?? '',
    keepText: doc.keepText ?? false,
    stopRequested: doc.stopRequested ?? false,
    ...(doc.error?.code && {
      error: { code: doc.error.code as ReplyErrorCode, message: doc.error.message ?? '' },
    }),
    ...(doc.usage && {
      usage: {
        promptTokens: doc.usage.promptTokens ?? 0,
        completionTokens: doc.usage.completionTokens ?? 0,
      },
    }),
  };
}

function base(doc: MessageDocument): RecordBase {
  return {
    id: String(doc._id),
    conversationId: String(doc.conversationId),
    ownerId: String(doc.ownerId),
    content: doc.content,
    createdAt: doc.createdAt,
    ...(doc.clientMessageId && { clientMessageId: doc.clientMessageId }),
    ...(doc.metadata && { metadata: doc.metadata as MessageMetadata }),
  };
}
