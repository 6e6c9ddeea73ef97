import { createRequire } from 'node:module';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { PromptMessage } from './port.ts';

type Encoding = typeof import('gpt-tokenizer/encoding/o200k_base');

/** The vocabulary costs 100 to 300 ms and 70 MB, and most processes never count tokens, so it is loaded on first use. */
const load = createRequire(import.meta.url);
const ENCODING = 'gpt-tokenizer/encoding/o200k_base';
let encoding: Encoding | undefined;

/** Loads the vocabulary while the process is idle, so that no reply waits for it. */
export function warmUpTokens(): void {
  setTimeout(() => void countTokens('a'), WARM_UP_MS).unref();
}

/** By then a starting process has announced that it is ready. */
const WARM_UP_MS = 500;

/**
 * Merging is quadratic in a run without word breaks (80,000 CJK characters at once: 15 s; in slices: 20 ms).
 * A slice border costs one token at most, so the count is too high by 0.5% at worst for prose.
 */
const SLICE = 512;
/** Beyond this many characters the count is extrapolated from the counted part. */
const COUNTED = 65_536;

/** The overhead of a chat message (OpenAI's cookbook: role and separators), and the reply's opening. */
const MESSAGE_OVERHEAD = 4;
const REPLY_OVERHEAD = 3;
/** Maximum tokens of a picture, whose longer side has 1,568 pixels (the guides of OpenAI and Anthropic, November 2026). */
export const TOKENS_PER_IMAGE = 1_100;

const imageTokens = ({ images = [] }: PromptMessage): number => images.length * TOKENS_PER_IMAGE;

/** After this many slices, which take about a millisecond, other work may run. */
const SLICES_AT_ONCE = 32;

/**
 * Tokens of `text` in o200k_base; other models' vocabularies differ by some percent. Bounded work for any text, without blocking the event
 * loop.
 */
export async function countTokens(text: string): Promise<number> {
  if (text === '') return 0;
  encoding ??= load(ENCODING) as Encoding;
  let tokens = 0;
  for (const [n, slice] of slicesOf(text).entries()) {
    // A control token in a user's text counts as plain text.
    tokens += encoding.countTokens(slice, { disallowedSpecial: new Set() });
    if (n % SLICES_AT_ONCE === SLICES_AT_ONCE - 1) await nextTurn();
  }
  return extrapolate(tokens, text);
}

/** As `countTokens`, in a thread that loads the vocabulary: for a process whose event loop serves users and that counts rarely. */
export async function countTokensInThread(text: string): Promise<number> {
  if (text === '') return 0;
  thread ??= startThread();
  return extrapolate(await thread(slicesOf(text)), text);
}

let thread: ReturnType<typeof startThread> | undefined;

/** It is CommonJS, and inline because a file would have to be built like a process. */
const THREAD = `
const { parentPort, workerData } = require('node:worker_threads');
const { countTokens } = require(workerData);
const options = { disallowedSpecial: new Set() };
parentPort.on('message', (slices) =>
  parentPort.postMessage(slices.reduce((sum, slice) => sum + countTokens(slice, options), 0)));
`;

/** Its answers arrive in the order of the calls. */
function startThread(): (slices: string[]) => Promise<number> {
  const worker = new Worker(THREAD, { eval: true, workerData: load.resolve(ENCODING) });
  worker.unref();
  const waiting: { resolve: (tokens: number) => void; reject: (error: Error) => void }[] = [];
  worker.on('message', (tokens: number) => waiting.shift()?.resolve(tokens));
  worker.on('error', (error) => {
    thread = undefined;
    for (const { reject } of waiting.splice(0)) reject(error);
  });
  return (slices) =>
    new Promise((resolve, reject) => {
      waiting.push({ resolve, reject });
      worker.postMessage(slices);
    });
}

function slicesOf(text: string): string[] {
  const length = Math.min(text.length, COUNTED);
  return Array.from({ length: Math.ceil(length / SLICE) }, (_, n) =>
    text.slice(n * SLICE, Math.min((n + 1) * SLICE, length)),
  );
}

/** Tokens of the whole text, from the tokens of its counted beginning. */
const extrapolate = (tokens: number, text: string): number =>
  text.length <= COUNTED ? tokens : Math.ceil(tokens * (text.length / COUNTED));

/** The tokens that a provider will count for a prompt of `messages`. */
export async function countPromptTokens(messages: PromptMessage[]): Promise<number> {
  let sum = REPLY_OVERHEAD;
  for (const message of messages)
    sum += MESSAGE_OVERHEAD + imageTokens(message) + (await countTokens(message.content));
  return sum;
}

/** An upper bound of `countPromptTokens` without a vocabulary: a token is at least one byte of UTF-8. */
export function mostPromptTokens(messages: PromptMessage[]): number {
  const bytes = messages.reduce(
    (sum, message) =>
      sum + MESSAGE_OVERHEAD + imageTokens(message) + Buffer.byteLength(message.content),
    0,
  );
  return bytes + REPLY_OVERHEAD;
}
