import { createRequire } from 'node:module';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { PromptMessage } from './port.ts';

type Encoding = typeof import('gpt-tokenizer/encoding/o200k_base');

/**
 * The vocabulary costs 100 to 300 ms and 70 MB, and most processes never count tokens: it is loaded at its first use.
 */
const load = createRequire(import.meta.url);
let encoding: Encoding | undefined;

/** Loads the vocabulary when the process has nothing else to do, so that no reply waits for it. */
export function warmUpTokens(): void {
  setTimeout(() => void countTokens('a'), WARM_UP_MS).unref();
}

/** By then a process that starts has told that it is ready. */
const WARM_UP_MS = 500;

/**
 * Merging is quadratic in a run without word breaks (80,000 CJK characters at once: 15 s; in slices: 20 ms).
 * A slice border costs one token at most, so the count is too high by 0.5% at worst for prose.
 */
const SLICE = 512;
/** Beyond this many characters the count is extrapolated from the counted part. */
const COUNTED = 65_536;

/** What a chat message costs besides its text (OpenAI's cookbook: role and separators), and the reply's opening. */
const MESSAGE_OVERHEAD = 4;
const REPLY_OVERHEAD = 3;
/** What a picture costs at most: its longer side has 1,568 pixels (the guides of OpenAI and Anthropic, November 2026). */
export const TOKENS_PER_IMAGE = 1_100;

const imageTokens = ({ images = [] }: PromptMessage): number => images.length * TOKENS_PER_IMAGE;

/** Counting lets other work run after this many slices, which take about a millisecond. */
const SLICES_AT_ONCE = 32;

/**
 * Tokens of `text` in o200k_base; other models' vocabularies differ by some percent. Bounded work for any text, and the
 * event loop goes on in between.
 */
export async function countTokens(text: string): Promise<number> {
  if (text === '') return 0;
  encoding ??= load('gpt-tokenizer/encoding/o200k_base') as Encoding;
  const counted = Math.min(text.length, COUNTED);
  let tokens = 0;
  for (let from = 0, slices = 1; from < counted; from += SLICE, slices += 1) {
    const slice = text.slice(from, Math.min(from + SLICE, counted));
    // A control token in a user's text counts as plain text.
    tokens += encoding.countTokens(slice, { disallowedSpecial: new Set() });
    if (slices % SLICES_AT_ONCE === 0) await nextTurn();
  }
  return counted === text.length ? tokens : Math.ceil(tokens * (text.length / counted));
}

/** Tokens that a provider will count for a prompt of `messages`. */
export async function countPromptTokens(messages: PromptMessage[]): Promise<number> {
  let sum = REPLY_OVERHEAD;
  for (const message of messages)
    sum += MESSAGE_OVERHEAD + imageTokens(message) + (await countTokens(message.content));
  return sum;
}

/** Never less than `countPromptTokens`, and needs no vocabulary: a token is at least one byte of UTF-8. */
export function mostPromptTokens(messages: PromptMessage[]): number {
  const bytes = messages.reduce(
    (sum, message) =>
      sum + MESSAGE_OVERHEAD + imageTokens(message) + Buffer.byteLength(message.content),
    0,
  );
  return bytes + REPLY_OVERHEAD;
}
