import { createOpenAiProvider } from './openai.ts';
import { placeOf } from './openai-errors.ts';
import { clientOf, type ServerAddress } from './openai-request.ts';
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
}: ServerAddress & {
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
  { baseUrl, apiKey, model }: ServerAddress & { model: string },
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

/** Names of embedding models; the first is tried first, because files and questions may be in several languages. */
const EMBEDDING_MODELS = [
  /bge-m3|multilingual|e5-|text-embedding-3|gemini-embedding|qwen3-embedding|snowflake-arctic-embed2/i,
  /embed|bge-|gte-|minilm|mpnet/i,
];
/** The list of a server has some lines, of a hosted provider some hundred. */
const MAX_LISTED = 2_000;

/**
 * The line that offers search by meaning, when the model server has a model for it. It is never switched on by itself, because the text of
 * files is then sent to that model. Never throws; ends within about four seconds.
 */
export async function offerEmbeddings({
  waitMs = WAIT_MS,
  ...server
}: ServerAddress & { waitMs?: number }): Promise<string | undefined> {
  try {
    const { data } = await clientOf(server).models.list({ signal: AbortSignal.timeout(waitMs) });
    const names = data.slice(0, MAX_LISTED).flatMap(({ id }) => (MODEL_NAME.test(id) ? [id] : []));
    const [model] = EMBEDDING_MODELS.flatMap((kind) => names.filter((name) => kind.test(name)));
    return model && `Files can be searched by meaning too: set EMBEDDING_MODEL=${model}`;
  } catch {
    return undefined;
  }
}

/** No other characters are printed to the terminal. */
const MODEL_NAME = /^[\w./:@-]{1,100}$/;
