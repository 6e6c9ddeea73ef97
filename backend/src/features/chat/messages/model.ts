import { type Connection, type InferSchemaType, Schema, type Types } from 'mongoose';
import { chargeFields, partFields, stepFields } from './fields.ts';
import { outboxSchema } from './outbox-model.ts';

const { ObjectId, Mixed } = Schema.Types;

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
    /** `length`: a complete reply that is as long as its depth allows. */
    ending: String,
    /** What the user thinks of the reply; absent until they say so. */
    feedback: { type: { _id: false, rating: String, reason: String }, default: undefined },
    usage: { promptTokens: Number, completionTokens: Number },
    parts: { type: [partFields], default: undefined },
    /** What is reserved for the attempt that comes or runs: the prompt as estimated, the reply at most. */
    reserved: { promptTokens: Number, replyTokens: Number },
    /** What the attempt that wrote the text has sent; absent until a checkpoint has stored it. */
    sent: { promptTokens: Number },
    charges: { type: [chargeFields], default: undefined },
    /** How the reply is to be written, as far as it differs from the defaults: `StoredSettings`. */
    settings: Mixed,
    postSteps: { type: [stepFields], default: undefined },
    /** How often each post-step has begun, by its name. */
    stepRuns: Mixed,
    /** Names of post-steps that failed every time. */
    failedSteps: { type: [String], default: undefined },
    /** The attempt whose text the search does not hold yet, 0 of a user message; absent once it holds it. */
    unindexed: Number,
    /** The rest of the send that created this reply, until it is known to be stored. */
    outbox: outboxSchema,
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

export const defineMessageModel = (connection: Connection) =>
  connection.model('Message', schema, 'messages');

export type MessageModel = ReturnType<typeof defineMessageModel>;
