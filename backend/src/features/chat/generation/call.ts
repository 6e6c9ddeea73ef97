import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DepthReceipt, MessageMetadata } from '../../../contract/messages.ts';
import {
  type AppliedReasoning,
  type ChatProvider,
  countPromptTokens,
  countTokens,
  type PromptMessage,
  ProviderError,
  type ProviderUsage,
} from '../../../llm/index.ts';
import { closingFence } from '../../../text/markdown-code.ts';
import { storedText, type TokenUsage } from '../messages/index.ts';
import { createTiming, depthReceiptOf, LEVELS } from './depth.ts';
import type { Prepared } from './prepare.ts';
import { authorOfCall, type GeneratedReply, type ReplyCall, splitAt } from './reply-record.ts';
import type { DeltaWriter } from './writer.ts';

/** In code units. Text has about 4 in each token, so only the answer of a server that ignores the maximum length has more. */
const MAX_LENGTH_PER_TOKEN = 64;
/**
 * In code units of all parts, those of earlier attempts included. At 3 bytes each, stored twice (as content and as parts), they fit into a
 * document of the database, which has at most 16 MB.
 */
const MAX_REPLY_LENGTH = 2_000_000;
/** A part has about 40 bytes besides its text. Only a model that changes between reasoning and text without end has more parts. */
const MAX_PARTS = 1_000;
/**
 * Code units that are written without a turn for other work. A filter takes up to 50 µs for each, and a server that does not stream sends the
 * whole answer at once.
 */
const PIECE_LENGTH = 512;
const PIECES = new RegExp(`[^]{1,${PIECE_LENGTH}}`, 'g');

/** A member of a panel, or its synthesis, returned no text. */
export class EmptyAnswerError extends Error {
  override name = 'EmptyAnswerError';
}

/** The user's quota ended during the answer. */
export class QuotaCutError extends Error {
  override name = 'QuotaCutError';
}

/** The answer reached the maximum length of its depth. */
export class LengthLimitError extends Error {
  override name = 'LengthLimitError';
}

interface CallInput {
  reply: GeneratedReply;
  call: ReplyCall;
  /** Builds the prompt. */
  prepare: () => Promise<Prepared>;
  /** Maximum length of the answer, in tokens. */
  maxTokens: number;
  /** Whether the remaining quota allows less than the depth. */
  isShortened: boolean;
  /** Whether another call follows. */
  isFollowed: boolean;
  writer: DeltaWriter;
  signal: AbortSignal;
  provider: ChatProvider;
  /** Called with the prompt once the provider has accepted it. */
  onSent: (prompt: SentPrompt) => void;
}

/** Tokens of a prompt, counted once. */
export type SentPrompt = () => Promise<number>;

/** The outcome of a call. */
export interface CallEnd {
  /** Undefined: the provider finished. */
  failure: unknown;
  /** The tokens used. Counting takes time: call it when no reader waits. Absent for a call that was left out. */
  usage?: () => Promise<TokenUsage & Partial<ProviderUsage>>;
  given?: Prepared | undefined;
  depthReceipt?: ReturnType<typeof depthReceiptOf> | undefined;
}

/** The provider's output of an answer so far. */
interface Received {
  isSent: boolean;
  texts: string[];
  /** Code units of `texts`. */
  length: number;
  usage?: ProviderUsage;
  reasoning?: AppliedReasoning;
  isCut: boolean;
}

/** Streams the answer of one call into `writer`. A member that was deleted after the send is left out. */
export async function streamCall(input: CallInput): Promise<CallEnd> {
  const { reply, call, writer, signal, provider } = input;
  const { depth } = reply.settings;
  let prompt: SentPrompt = async () => 0;
  const received: Received = { isSent: false, texts: [], length: 0, isCut: false };
  let given: Prepared | undefined;
  const timing = createTiming(() => performance.now());
  let start = writer.length;
  let failure: unknown;
  let isRefused = false;
  try {
    const prepared = await input.prepare();
    signal.throwIfAborted();
    if (call.member && prepared.persona === null) return { failure: undefined };
    given = prepared;
    if (call.panel) writer.begin(authorOfCall(call));
    start = writer.length;
    prompt = counted(prepared.messages);
    timing.start();
    await receive(input, { prepared, prompt, timing, received });
    if (received.isCut) throw cutBy(input);
    if (call.panel) endPart(input);
  } catch (error) {
    failure = signal.aborted ? signal.reason : error;
    isRefused = error instanceof ProviderError;
  }
  const times = timing.end();
  const { usage: reported, reasoning: applied } = received;
  const named = given?.model;
  const model = named?.isOffered ? named.name : provider.model;
  const requestedModel = named?.isOffered ? undefined : named?.name;
  // Also when the attempt was stopped before the provider was called again.
  const isUncharged = writer.length === start && isRefused;
  const usage = async () =>
    reported ?? { model, ...(isUncharged ? NO_USAGE : await estimate(prompt, received.texts)) };
  const depthReceipt =
    applied && depthReceiptOf({ depth, applied, reported, model, requestedModel, times });
  return { failure, usage, given, depthReceipt };
}

const cutBy = ({ isShortened }: CallInput): Error =>
  isShortened
    ? new QuotaCutError('No tokens are left for the rest.')
    : new LengthLimitError('The answer is as long as its depth allows.');

/** Sends the prompt, and writes and records the chunks. */
async function receive(
  { reply, writer, signal, provider, maxTokens, onSent }: CallInput,
  {
    prepared: { messages, filter, model },
    prompt,
    timing,
    received,
  }: {
    prepared: Prepared;
    prompt: SentPrompt;
    timing: ReturnType<typeof createTiming>;
    received: Received;
  },
): Promise<void> {
  for await (const event of provider.stream({
    messages,
    signal,
    maxTokens,
    reasoning: LEVELS[reply.settings.depth],
    ...(model?.isOffered && { model: model.name }),
  })) {
    if (!received.isSent) onSent(prompt);
    received.isSent = true;
    if (event.type === 'usage') received.usage = usageOf(event);
    else if (event.type === 'reasoning') received.reasoning = event;
    else if (event.type === 'cut') received.isCut = true;
    else {
      timing.delta(event.part);
      const isFiltered = filter && event.part === 'text';
      for (const [at, text] of (event.text.match(PIECES) ?? []).entries()) {
        if (at > 0) {
          await nextTurn();
          signal.throwIfAborted();
        }
        received.texts.push(text);
        received.length += text.length;
        writer.push(event.part, isFiltered ? filter.push(text) : text);
        received.isCut = isTooLong(received, { maxTokens, writer });
        if (received.isCut) break;
      }
      // This ends the call of the provider, too.
      if (received.isCut) break;
    }
  }
  // Withheld text of a reply that ends early was never shown and is dropped: the next attempt continues the shown text.
  if (filter) writer.push('text', filter.end());
}

const isTooLong = (
  { length }: Received,
  { maxTokens, writer }: Pick<CallInput, 'maxTokens' | 'writer'>,
): boolean =>
  length > maxTokens * MAX_LENGTH_PER_TOKEN ||
  writer.length > MAX_REPLY_LENGTH ||
  writer.parts.length > MAX_PARTS;

/** A part of a panel has text, and closes its code blocks before the next part. */
function endPart({ call, writer, isFollowed }: CallInput): void {
  const { content } = storedText(splitAt(writer.parts, call).own);
  if (content.trim() === '') throw new EmptyAnswerError('A part of a panel has no text.');
  if (isFollowed) writer.push('text', closingFence(content));
}

const NO_USAGE = { promptTokens: 0, completionTokens: 0 };

const usageOf = ({ type: _type, ...usage }: ProviderUsage & { type: 'usage' }): ProviderUsage =>
  usage;

const counted = (messages: PromptMessage[]): SentPrompt => {
  let counting: Promise<number> | undefined;
  return () => (counting ??= countPromptTokens(messages));
};

/** For providers that do not report usage and for replies that were cut off: the prompt counts once it was sent. */
async function estimate(prompt: SentPrompt, received: string[]) {
  return {
    promptTokens: await prompt(),
    completionTokens: await countTokens(received.join('')),
  };
}

type Used = TokenUsage & Partial<ProviderUsage>;

/** The usage of all calls of an attempt, as one charge. */
export async function sumUsage(ends: readonly CallEnd[]): Promise<Used> {
  const all = await Promise.all(ends.flatMap(({ usage }) => usage?.() ?? []));
  const models = all.flatMap(({ model }) => model ?? []);
  const sum: Used = {
    promptTokens: 0,
    completionTokens: 0,
    ...(models.length > 0 && { model: namesOf(models) }),
  };
  for (const used of all) {
    for (const field of FIELDS) {
      const added = used[field];
      if (added !== undefined) sum[field] = (sum[field] ?? 0) + added;
    }
  }
  return sum;
}

/** Different models may write the members of a panel. */
const namesOf = (models: readonly string[]): string => [...new Set(models)].join(', ');

const FIELDS = ['promptTokens', 'cachedTokens', 'completionTokens', 'reasoningTokens'] as const;

/** The metadata of a reply, from those of its calls: sources of all calls, and the rest from the last one. */
export async function sumMetadata(ends: readonly CallEnd[]): Promise<Partial<MessageMetadata>> {
  const all = await Promise.all(ends.flatMap(({ given }) => given?.metadata() ?? []));
  const sum: Partial<MessageMetadata> = Object.assign({}, ...all);
  const files = all.flatMap(({ filesReceipt = [] }) => filesReceipt);
  const read = all.flatMap(({ memoryReceipt }) => memoryReceipt?.read ?? []);
  const depthReceipt = sumReceipts(ends.flatMap((end) => end.depthReceipt ?? []));
  return {
    ...sum,
    ...(sum.filesReceipt && { filesReceipt: uniqueBy(files, ({ fileId }) => fileId) }),
    ...(sum.memoryReceipt && {
      memoryReceipt: { ...sum.memoryReceipt, read: uniqueBy(read, ({ id }) => id) },
    }),
    ...(depthReceipt && { depthReceipt }),
  };
}

/** The total times of several calls. The time of reasoning is only known for a single call. */
function sumReceipts(receipts: readonly DepthReceipt[]): DepthReceipt | undefined {
  const [first, ...others] = receipts;
  if (!first || others.length === 0) return first;
  const { reasoningMs: _ofOne, ...last } = others.at(-1) ?? first;
  const total = (add: (receipt: DepthReceipt) => number | null) =>
    receipts.reduce((sum, receipt) => sum + (add(receipt) ?? 0), 0);
  const missing = receipts.flatMap(({ requestedModel }) => requestedModel ?? []);
  const isKnown = receipts.some(({ reasoningTokens }) => reasoningTokens !== null);
  return {
    ...last,
    model: namesOf(receipts.map(({ model }) => model)),
    ...(missing.length > 0 && { requestedModel: namesOf(missing) }),
    reasoningTokens: isKnown ? total(({ reasoningTokens }) => reasoningTokens) : null,
    firstTokenMs: first.firstTokenMs,
    totalMs: total(({ totalMs }) => totalMs),
  };
}

function uniqueBy<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  return [...new Map(items.toReversed().map((item) => [keyOf(item), item])).values()].toReversed();
}
