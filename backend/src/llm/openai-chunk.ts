import { MAX_MODEL_LENGTH } from '../contract/limits.ts';
import type { ProviderUsage } from './port.ts';

/** The content of one chunk of the stream. */
export interface ChunkContent {
  text: string;
  /** The model's reasoning; an extension that several compatible servers have. */
  reasoning: string;
  /** Whether the model made progress: text, reasoning or another field. Chunks with only a role, and keep-alive chunks, do not count. */
  alive: boolean;
  ending: 'whole' | 'cut' | 'refused' | undefined;
  /** `model` is absent when the chunk does not name it. */
  usage: (Omit<ProviderUsage, 'model'> & { model?: string }) | undefined;
}

/** Compatible servers deviate from the SDK's types: any field may be missing or null. */
interface LooseChunk {
  choices?: { delta?: Record<string, unknown> | null; finish_reason?: string | null }[] | null;
  model?: unknown;
  usage?: LooseUsage | null;
}

interface LooseUsage {
  prompt_tokens?: unknown;
  prompt_tokens_details?: { cached_tokens?: unknown } | null;
  completion_tokens?: unknown;
  completion_tokens_details?: { reasoning_tokens?: unknown } | null;
}

export function readChunk(chunk: unknown): ChunkContent {
  const { choices, model, usage } = (chunk ?? {}) as LooseChunk;
  const { delta, finish_reason: finishReason } = choices?.[0] ?? {};
  const { role: _role, ...parts } = delta ?? {};
  return {
    text: textOf(parts.content),
    reasoning: textOf(parts.reasoning_content) || textOf(parts.reasoning),
    alive: Object.values(parts).some((part) => part != null && part !== ''),
    ending: ending(finishReason, parts.refusal),
    usage: readUsage(usage, model),
  };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function ending(finishReason: unknown, refusal: unknown): ChunkContent['ending'] {
  if (finishReason === 'content_filter' || (typeof refusal === 'string' && refusal !== '')) {
    return 'refused';
  }
  if (finishReason === 'length') return 'cut';
  return finishReason ? 'whole' : undefined;
}

/** Usage figures of a chunk or of a whole answer; undefined when there are none. */
export function readUsage(usage: LooseChunk['usage'], model: unknown): ChunkContent['usage'] {
  const { prompt_tokens: promptTokens, completion_tokens: completionTokens } = usage ?? {};
  // A call has a prompt: zero stands for a number that the server does not know.
  if (!isCount(promptTokens) || !isCount(completionTokens) || promptTokens === 0) return undefined;
  const name = textOf(model).slice(0, MAX_MODEL_LENGTH);
  return {
    promptTokens,
    cachedTokens: shareOf(promptTokens, usage?.prompt_tokens_details?.cached_tokens),
    completionTokens,
    reasoningTokens: shareOf(completionTokens, usage?.completion_tokens_details?.reasoning_tokens),
    ...(name && { model: name }),
  };
}

const shareOf = (total: number, share: unknown): number =>
  isCount(share) ? Math.min(share, total) : 0;

/** No model reads or writes as much in one call. */
const MAX_COUNT = 10_000_000;

/** Users are charged by these figures, so only possible numbers of tokens are accepted. */
const isCount = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= MAX_COUNT;
