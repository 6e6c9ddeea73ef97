// Numbers that backend and frontend share; no schemas, so that a page can import one alone.

/** Longest texts of a persona, in UTF-16 code units. */
export const PERSONA_LENGTHS = {
  name: 80,
  role: 160,
  avatar: 16,
  description: 4_000,
  instructions: 8_000,
  tone: 40,
  key: 60,
  knowledge: 4_000,
  topic: 60,
  rule: 300,
  example: 2_000,
  greeting: 4_000,
} as const;

/** Most entries of a persona's lists. */
export const PERSONA_COUNTS = {
  tone: 6,
  keys: 10,
  knowledge: 100,
  do: 12,
  dont: 48,
  examples: 8,
} as const;

/** Longest name of a model, in UTF-16 code units. */
export const MAX_MODEL_LENGTH = 100;

/** Custom personas of one user, where the plan does not limit them. */
export const MAX_PERSONAS = 500;
/** Largest character card that is imported. */
export const MAX_CARD_BYTES = 10 * 1024 * 1024;

/** Most personas that are fused into one. */
export const MAX_FUSION_MEMBERS = 4;

/** Replies of one trial: of each member of a fusion, and of the fusion. */
export const MAX_TRIAL_REPLIES = MAX_FUSION_MEMBERS + 1;

/** Custom personas of a guest. */
export const GUEST_PERSONAS = 1;

export const TRAITS = ['warmth', 'formality', 'verbosity', 'directness', 'humour'] as const;
export type Trait = (typeof TRAITS)[number];
