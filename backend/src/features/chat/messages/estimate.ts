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

/** What a prompt is made of. */
interface PromptSize {
  /** UTF-8 bytes of its messages. */
  length: number;
  messages: number;
  /** UTF-16 code units of the text of the files that the last message names; null when not all of it is known. */
  fileLength?: number | null | undefined;
}

/** What an attempt may use at most: a prompt and a reply. */
export const estimateTokens = (
  { length, messages, fileLength = 0 }: PromptSize,
  { contextTokens, maxReplyTokens }: TokenLimits,
): ReservedTokens => ({
  promptTokens: Math.min(
    contextTokens,
    TOKENS_PER_PROMPT +
      messages * TOKENS_PER_MESSAGE +
      Math.ceil(length / BYTES_PER_TOKEN) +
      fileTokens(fileLength, contextTokens),
  ),
  replyTokens: maxReplyTokens,
});

/** The text of files takes at most half of a prompt. */
const fileTokens = (fileLength: number | null, contextTokens: number): number => {
  const most = Math.floor(contextTokens / 2);
  return fileLength === null ? most : Math.min(most, Math.ceil(fileLength / BYTES_PER_TOKEN));
};
