import type { ReservedTokens } from './model.ts';

// A reservation lasts until the real figures are known, so an estimate without a tokenizer is enough.
const CHARACTERS_PER_TOKEN = 4;
/** What each message costs besides its text. */
const TOKENS_PER_MESSAGE = 4;
/** The system prompt and what a model adds. */
const TOKENS_PER_PROMPT = 200;

export interface TokenLimits {
  /** Longest prompt, in tokens. */
  contextTokens: number;
  /** Longest reply, in tokens. */
  maxReplyTokens: number;
}

/** What an attempt may use at most: a prompt of `messages` messages with `length` UTF-16 code units, and a reply. */
export const estimateTokens = (
  { length, messages }: { length: number; messages: number },
  { contextTokens, maxReplyTokens }: TokenLimits,
): ReservedTokens => ({
  promptTokens: Math.min(
    contextTokens,
    TOKENS_PER_PROMPT + messages * TOKENS_PER_MESSAGE + Math.ceil(length / CHARACTERS_PER_TOKEN),
  ),
  replyTokens: maxReplyTokens,
});
