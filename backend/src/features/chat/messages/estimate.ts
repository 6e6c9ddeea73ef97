import { TOKENS_PER_IMAGE } from '../../../llm/index.ts';
import type { ReservedTokens } from './model.ts';

// A reservation lasts until the real figures are known, so an estimate is enough, and it needs no vocabulary.
// English has four bytes to a token; Chinese, Japanese and Korean have three bytes to a character and about one token.
const BYTES_PER_TOKEN = 3;
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

/** What an attempt may use at most: a prompt of so many UTF-8 bytes and messages, and a reply. */
export const estimateTokens = (
  { length, messages }: { length: number; messages: number },
  { contextTokens, maxReplyTokens }: TokenLimits,
): ReservedTokens => ({
  promptTokens: Math.min(
    contextTokens,
    TOKENS_PER_PROMPT + messages * TOKENS_PER_MESSAGE + Math.ceil(length / BYTES_PER_TOKEN),
  ),
  replyTokens: maxReplyTokens,
});

/**
 * How much longer the files of a message make every prompt that holds it, in bytes as `estimateTokens` counts them. Their text
 * takes at most half of a prompt.
 */
export function lengthOfFiles(
  { textBytes, images }: { textBytes: number | null; images: number },
  { contextTokens }: TokenLimits,
): number {
  const most = Math.floor(contextTokens / 2) * BYTES_PER_TOKEN;
  return Math.min(most, textBytes ?? most) + images * TOKENS_PER_IMAGE * BYTES_PER_TOKEN;
}
