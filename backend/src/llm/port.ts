import type { ReplyErrorCode } from '../contract/errors.ts';
import type { ReplyPartType } from '../contract/messages.ts';

/** One message of the prompt. */
export interface PromptMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
  /** Pictures that follow the text; only for models that see. */
  images?: readonly PromptImage[];
}

export interface PromptImage {
  /** What the user calls it. */
  name: string;
  /** image/jpeg or image/png. */
  type: string;
  bytes: Buffer;
}

export interface ChatRequest {
  messages: PromptMessage[];
  /** Ends the call: the connection to the provider is closed, and `stream` throws the signal's reason. */
  signal: AbortSignal;
  /** Longest answer, in tokens. */
  maxTokens: number;
}

export type ChatEvent =
  /** `reasoning` is the model's reasoning, from providers that send it. */
  | { type: 'delta'; part: ReplyPartType; text: string }
  /** The provider's own figures, in tokens. At most once, as the last event; some providers never send them. */
  | ({ type: 'usage' } & ProviderUsage);

/** What a call used, in tokens. */
export interface ProviderUsage {
  promptTokens: number;
  /** The share of the prompt that the provider had cached; 0 when it does not say. */
  cachedTokens: number;
  completionTokens: number;
  /** The share of the completion that was reasoning; 0 when the provider does not say. */
  reasoningTokens: number;
  /** The model that answered, as the provider names it. */
  model: string;
}

/** A provider of text: a model behind an API. */
export interface ChatProvider {
  /** The model that is asked. The one that answers may have a more exact name. */
  readonly model: string;
  /**
   * Streams one answer; ends normally when the provider finished it. Text that was yielded stays valid even when the
   * stream fails afterwards.
   * @throws ProviderError when the provider does not deliver; the signal's reason when it was aborted.
   */
  stream(request: ChatRequest): AsyncIterable<ChatEvent>;
}

/** A model that places texts in a space where texts of similar meaning are close. */
export interface Embedder {
  /** Vectors of different models cannot be compared. */
  readonly model: string;
  /**
   * One vector for each text, in their order, all of the same length.
   * @throws ProviderError when the provider does not deliver; the signal's reason when it was aborted.
   */
  embed(texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]>;
}

export type ProviderErrorCode = Extract<ReplyErrorCode, `provider_${string}` | 'context_too_long'>;

/** Why an answer is missing or incomplete. `message` is one sentence that a user can act on. */
export class ProviderError extends Error {
  override name = 'ProviderError';
  readonly code: ProviderErrorCode;
  /** Milliseconds after which a retry makes sense, if the provider named them. */
  readonly retryAfterMs: number | undefined;

  constructor(
    code: ProviderErrorCode,
    message: string,
    options: { retryAfterMs?: number | undefined; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryAfterMs = options.retryAfterMs;
  }
}
