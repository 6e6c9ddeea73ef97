import { type Connection, type InferSchemaType, Schema, type Types } from 'mongoose';
import { chargeFields, deltaFields, partFields, stepFields } from './fields.ts';
import { outboxSchema } from './outbox-model.ts';

const { ObjectId, Mixed } = Schema.Types;

const ratingFields = { rating: String, reason: String };

// Both roles are in one collection, so that a page of a conversation is one query. The fields from `status` on belong to replies. The
// caller sets the dates from its own clock.
const schema = new Schema(
  {
    conversationId: { type: ObjectId, required: true },
    ownerId: { type: ObjectId, required: true },
    /** Who wrote a user message, in a conversation of somebody else; absent: the owner. */
    authorId: ObjectId,
    role: { type: String, enum: ['user', 'assistant'], required: true },
    content: { type: String, default: '' },
    createdAt: { type: Date, required: true },
    clientMessageId: String,
    metadata: Mixed,

    /** The message above this one; absent for a first message. */
    parentId: ObjectId,
    /** The number of messages above this one. */
    depth: Number,
    /** UTF-8 bytes of all messages from the root to this one; a reply gets it when it ends. */
    pathLength: Number,

    status: String,
    /** True while queued or streaming; absent after. */
    active: Boolean,
    attempt: Number,
    /** The number of attempts that lost their worker. */
    takeovers: Number,
    /** The queue's id of the job for this reply. */
    jobId: String,
    /** Who asked for the reply, and who pays for it; absent: the owner of the conversation. */
    payer: Mixed,
    /** The lane in which the reply waits; absent once an attempt has started. */
    lane: String,
    /** The last heartbeat of the reply's worker, or the time when the reply was queued or ended. */
    heartbeatAt: Date,
    /** When a sweep last looked at the reply. */
    sweptAt: Date,
    /** Code units, over all parts, of the text that the attempt continues; it wrote the rest itself. */
    keptLength: Number,
    /** Lost attempts since the one that wrote the text: they took it over. */
    lostAttempts: Number,
    stopRequested: Boolean,
    /** The user who stopped it last. */
    stoppedBy: ObjectId,
    error: { code: String, message: String, cause: String },
    /** `length`: a complete reply that reached the maximum length of its depth. */
    ending: String,
    /** The owner's rating of the reply, if any. */
    feedback: { type: { _id: false, ...ratingFields }, default: undefined },
    /** The ratings of others who may read it. The newest are kept: `MAX_RATINGS`. */
    ratings: {
      type: [{ _id: false, userId: { type: ObjectId, required: true }, ...ratingFields }],
      default: undefined,
    },
    usage: { promptTokens: Number, completionTokens: Number },
    parts: { type: [partFields], default: undefined },
    /** Only while the reply is active. */
    deltas: { type: [deltaFields], default: undefined },
    /** The reservation of the next or running attempt: the estimated prompt, the maximum reply. */
    reserved: { promptTokens: Number, replyTokens: Number },
    /** The tokens sent by the attempt that wrote the text; absent until a checkpoint has stored them. */
    sent: { promptTokens: Number },
    charges: { type: [chargeFields], default: undefined },
    /** The settings of the reply that differ from the defaults: `StoredSettings`. */
    settings: Mixed,
    postSteps: { type: [stepFields], default: undefined },
    /** The number of runs of each post-step, by its name. */
    stepRuns: Mixed,
    /** Names of post-steps whose retries all failed. */
    failedSteps: { type: [String], default: undefined },
    /** The attempt whose text is not indexed by the search yet, 0 for a user message, 1 once it is erased; absent once indexed. */
    unindexed: Number,
    /** The rest of the send that created this reply, until it is stored. */
    outbox: outboxSchema,
  },
  { versionKey: false, minimize: false },
);
schema.index({ conversationId: 1, depth: 1 });
schema.index({ ownerId: 1 });
schema.index({ authorId: 1 }, { sparse: true });
schema.index({ 'ratings.userId': 1 }, { sparse: true });
// A repeated send collides here.
schema.index(
  { conversationId: 1, clientMessageId: 1, role: 1 },
  { unique: true, partialFilterExpression: { clientMessageId: { $exists: true } } },
);
// One reply at a time per conversation: the index refuses a second one.
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
