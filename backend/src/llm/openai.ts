import { setTimeout as delay } from 'node:timers/promises';
import type { OpenAI } from 'openai';
import { createNodeFetch, readEvents } from './event-stream.ts';
import { findModel, type ModelEntry } from './models.ts';
import { type ChunkContent, readChunk } from './openai-chunk.ts';
import { type Failure, failure, toFailure, withPlace } from './openai-errors.ts';
import {
  adapted,
  COMMON_DIALECT,
  clientOf,
  type Dialect,
  requestBody,
  type ServerAddress,
  sends,
  together,
} from './openai-request.ts';
import type { AppliedReasoning, ChatEvent, ChatProvider, ChatRequest } from './port.ts';
import { type ReasoningSetting, reasoningSetting } from './reasoning.ts';
import { createWatchdog } from './watchdog.ts';

export interface OpenAiOptions extends ServerAddress {
  model: string;
  /** The parameters of models with unknown names; see `findModel`. */
  registry?: readonly ModelEntry[];
  /** Milliseconds without a token after which a call times out. */
  idleMs: number;
  /** Whether users may see the cause of a failure; the operator's log always has it. */
  showsCause?: boolean;
  /** Maximum number of retries of a call that failed before its first token. */
  maxRetries?: number;
  /** Waits `ms`; rejects when `signal` is aborted. */
  sleep?: (ms: number, signal: AbortSignal) => Promise<unknown>;
  /** From 0 (inclusive) to 1 (exclusive). */
  random?: () => number;
  /** Milliseconds of the epoch. */
  now?: () => number;
}

const FIRST_BACKOFF_MS = 500;
/** A provider that requests a longer delay is not called again: the user may retry later. */
const MAX_RETRY_AFTER_MS = 20_000;
/** After the finish reason only the usage figures can follow; the answer waits for them at most this long. */
const USAGE_GRACE_MS = 2_000;
/** Chunks without text, such as those of encrypted reasoning, prolong the wait for a token to this many times its length. */
const MAX_PROLONGED = 10;

/** Calls any OpenAI-compatible API (chat completions, streamed). Opens no connection by itself. */
export function createOpenAiProvider({
  baseUrl,
  apiKey,
  model,
  registry = [],
  idleMs,
  showsCause = false,
  maxRetries = 2,
  sleep = (ms, signal) => delay(ms, undefined, { signal }),
  random = Math.random,
  now = Date.now,
}: OpenAiOptions): ChatProvider {
  // The SDK's retries would ignore whether a first token was shown.
  const client = clientOf({ baseUrl, apiKey }, { fetch: createNodeFetch() });
  const caller: Caller = { client, model, registry, idleMs, now, learned: new Map() };

  /** @throws the failure when it is final, or when the request is aborted meanwhile: no call is under way then */
  async function pauseBeforeRetry(failed: Failure, retries: number, signal: AbortSignal) {
    const asked = failed.error.retryAfterMs ?? 0;
    if (!failed.retry || retries >= maxRetries || asked > MAX_RETRY_AFTER_MS) throw failed.error;
    const backoff = FIRST_BACKOFF_MS * 2 ** retries * (0.5 + random() / 2);
    await sleep(Math.max(backoff, asked), signal).catch(() => undefined);
    if (signal.aborted) throw failed.error;
  }

  return {
    model,

    async *stream(request) {
      for (let retries = 0; ; retries += 1) {
        request.signal.throwIfAborted();
        const failed = yield* call(caller, request);
        if (!failed) return;
        const asked = { model: request.model ?? model, baseUrl, showsCause };
        await pauseBeforeRetry(withPlace(failed, asked), retries, request.signal);
      }
    },
  };
}

interface Caller extends Required<Pick<OpenAiOptions, 'model' | 'registry' | 'idleMs' | 'now'>> {
  client: OpenAI;
  /** The accepted form of a request, by model. */
  learned: Map<string, Dialect>;
}

/** One call. Yields the events; returns the failure, or nothing when the answer is complete. */
async function* call(
  caller: Caller,
  request: ChatRequest,
): AsyncGenerator<ChatEvent, Failure | undefined> {
  const { model, registry, idleMs, now } = caller;
  const { model: asked = model, reasoning, maxTokens } = request;
  const watchdog = createWatchdog(request.signal);
  let failed = failure('unreadable');
  let last: Partial<ChunkContent> = {};
  let shown = false;
  let tokenAt = performance.now();
  const sinceToken = () => performance.now() - tokenAt;
  try {
    watchdog.expect(idleMs);
    const entry = findModel(asked, registry);
    const setting = reasoning ? reasoningSetting(entry, reasoning, maxTokens) : null;
    const { chunks, dialect } = await open(caller, request, { setting, signal: watchdog.signal });
    if (reasoning)
      yield { type: 'reasoning', requested: reasoning, ...appliedBy(dialect, setting) };
    for await (const chunk of chunks) {
      // Chunks that arrived together are delivered without a check of the signal.
      if (watchdog.signal.aborted) break;
      const { alive, ending = last.ending, usage = last.usage, ...parts } = readChunk(chunk);
      const hasToken = parts.reasoning !== '' || parts.text !== '';
      // After the finish reason only a token prolongs the wait for the usage figures.
      const goesOn = hasToken || (!last.ending && (alive || ending));
      last = { ending, usage };
      for (const part of ['reasoning', 'text'] as const) {
        if (!parts[part]) continue;
        // The reader's time does not count as silence of the provider.
        watchdog.rest();
        shown = true;
        yield { type: 'delta', part, text: parts[part] };
      }
      if (ending === 'refused') break;
      if (hasToken) tokenAt = performance.now();
      const waitMs = ending ? Math.min(idleMs, USAGE_GRACE_MS) : idleMs;
      if (goesOn) watchdog.expect(Math.min(waitMs, MAX_PROLONGED * idleMs - sinceToken()));
    }
  } catch (thrown) {
    failed = toFailure(thrown, now);
  } finally {
    watchdog.close();
  }
  request.signal.throwIfAborted();
  if (last.ending === 'whole' || last.ending === 'cut') {
    if (last.ending === 'cut') yield { type: 'cut' };
    // After the finish reason the answer is complete, even when the connection breaks.
    if (last.usage) yield { type: 'usage', model: asked, ...last.usage };
    return undefined;
  }
  if (last.ending === 'refused') return failure('refused');
  if (watchdog.expired)
    failed = failure('silent', { cause: `no token for ${Math.round(sinceToken() / 1000)} s` });
  return { ...failed, retry: failed.retry && !shown };
}

/** Opens the stream, with the first form of the request that the server accepts. */
async function open(
  { client, model, learned }: Caller,
  request: ChatRequest,
  { setting, signal }: { setting: ReasoningSetting | null; signal: AbortSignal },
) {
  const { model: asked = model } = request;
  const learnedOf = () => learned.get(asked) ?? COMMON_DIALECT;
  for (let dialect = learnedOf(); ; ) {
    try {
      const body = requestBody(asked, request, { dialect, setting });
      const answer = await client.chat.completions.create(body, { signal }).asResponse();
      return { chunks: readEvents(answer), dialect };
    } catch (thrown) {
      const next = adapted(dialect, thrown, setting);
      if (!next) throw thrown;
      dialect = next;
      learned.set(asked, together(learnedOf(), next));
    }
  }
}

function appliedBy(
  dialect: Dialect,
  setting: ReasoningSetting | null,
): Omit<AppliedReasoning, 'requested'> {
  if (!setting) return { applied: 'default', parameter: null };
  const { parameter, value, applied } = setting;
  if (!sends(dialect, setting)) return { applied: 'default', parameter: null, refused: parameter };
  return { applied, parameter: `${parameter}: ${value}` };
}
