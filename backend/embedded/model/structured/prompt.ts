/** The messages of a call, as texts in their order. */
export interface StructuredPrompt {
  system: string;
  user: string;
}

/** Answers a call from its text alone: the same prompt gets the same value, which fits the call's schema. */
export type StructuredAnswer = (prompt: StructuredPrompt) => unknown;
