import { createOpenAiProvider } from './openai.ts';
import { placeOf } from './openai-errors.ts';
import { ProviderError } from './port.ts';

/** A first call may load the model, which takes longer than the start should wait. */
const WAIT_MS = 4_000;
/** Enough for one word; a model that reasons first is cut, which also counts as an answer. */
const MAX_TOKENS = 16;

/** The result of a request for one word; `line` is for the terminal. */
export interface ModelCheck {
  answers: boolean;
  line: string;
}

/** Asks the model for one word, as replies call it. Never throws; ends within about five seconds. */
export async function checkModel({
  now = () => performance.now(),
  waitMs = WAIT_MS,
  ...asked
}: {
  baseUrl: string;
  apiKey: string;
  model: string;
  /** In milliseconds. */
  now?: () => number;
  waitMs?: number;
}): Promise<ModelCheck> {
  const begun = now();
  const late = AbortSignal.timeout(waitMs);
  try {
    await firstEvent(asked, late);
    const seconds = ((now() - begun) / 1000).toFixed(1);
    return {
      answers: true,
      line: `${asked.model} at ${placeOf(asked.baseUrl)} answers (${seconds} s)`,
    };
  } catch (error) {
    return { answers: false, line: explain(error, asked, late.aborted && waitMs) };
  }
}

async function firstEvent(
  { baseUrl, apiKey, model }: { baseUrl: string; apiKey: string; model: string },
  signal: AbortSignal,
): Promise<void> {
  const provider = createOpenAiProvider({ baseUrl, apiKey, model, idleMs: 60_000, maxRetries: 0 });
  const messages = [{ role: 'user' as const, content: 'Answer with one word: ready' }];
  const stream = provider.stream({ messages, signal, maxTokens: MAX_TOKENS });
  const events = stream[Symbol.asyncIterator]();
  await events.next();
  await events.return?.();
}

function explain(
  error: unknown,
  { baseUrl, model }: { baseUrl: string; model: string },
  waitedMs: number | false,
): string {
  if (waitedMs !== false)
    return `${model} at ${placeOf(baseUrl)}: no answer after ${waitedMs / 1000} s; it may be loading`;
  return error instanceof ProviderError
    ? (error.cause ?? error.code)
    : `${model}: ${String(error)}`;
}
