import { taskFields } from '../../../jobs/durable-model.ts';

// What a message document has several of, as elements of arrays.

/** A section of a reply. Only replies of more than one text part have any; `content` holds the text parts joined. */
export const partFields = {
  _id: false,
  type: { type: String },
  text: String,
  /** In a panel: the member that wrote it. */
  personaId: String,
  personaName: String,
} as const;

/** What an attempt is to be charged and is not in the usage ledger yet. */
export const chargeFields = {
  _id: false,
  attempt: Number,
  promptTokens: Number,
  cachedTokens: Number,
  completionTokens: Number,
  reasoningTokens: Number,
  model: String,
  release: Boolean,
  at: Date,
} as const;

/** A post-step of a complete reply that has not ended. */
export const stepFields = {
  _id: false,
  name: String,
  /** Attempts so far. */
  tries: Number,
  lost: taskFields.lost,
  failures: taskFields.failures,
  heartbeatAt: taskFields.heartbeatAt,
  /** When a sweep looks whether the step has a job. */
  sweepAt: Date,
} as const;
