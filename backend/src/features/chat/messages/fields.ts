import { taskFields } from '../../../jobs/durable-model.ts';

// The elements of arrays in a message document.

const kindFields = {
  _id: false,
  type: { type: String },
  /** In a panel: the member that wrote it. */
  personaId: String,
  personaName: String,
} as const;

/** A section of a reply. Only replies of more than one text part have any; `content` holds the text parts joined. */
export const partFields = { ...kindFields, text: String } as const;

/** Text after that of `content` and `parts`, as checkpoints of the running attempt added it: `DeltaText`. */
export const deltaFields = {
  ...kindFields,
  /** Index of its part. */
  part: Number,
  offset: Number,
  delta: String,
} as const;

/** An attempt's charge that is not in the usage ledger yet. */
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

/** A pending post-step of a complete reply. */
export const stepFields = {
  _id: false,
  name: String,
  tries: Number,
  lost: taskFields.lost,
  failures: taskFields.failures,
  heartbeatAt: taskFields.heartbeatAt,
  /** When a sweep checks whether the step has a job. */
  sweepAt: Date,
} as const;
