import type { ReplyErrorCode } from '../contract/errors.ts';
import type { ReplyPartType } from '../contract/messages.ts';

/** One message of the prompt. */
export interface PromptMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

export interface ChatRequest {
  messages: PromptMessage[];
  /** Ends the call: the connection to the provider is closed, and `stream` throws the signal's reason. */
  signal: AbortSignal;
  /** Longest answer, in tokens. */
  maxTokens: number;
}

export type ChatEvent =
  /** `reasoning` is what the model thinks before it answers, from providers that send it. */
  | { type: 'delta'; part: ReplyPartType; text: string }
  /** The provider's own figures, in tokens. At most once, as the last event; some providers never say. */
  | { type: 'usage'; promptTokens: number; completionTokens: number };

/** Whoever produces text. */
export interface ChatProvider {
  /**
   * Streams one answer; ends normally when the provider finished it. Nothing is repeated: what was yielded
   * stays valid even when the stream then fails.
   * @throws ProviderError when the provider does not deliver; the signal's reason when it was aborted.
   */
  stream(request: ChatRequest): AsyncIterable<ChatEvent>;
}

export type ProviderErrorCode = Extract<ReplyErrorCode, `provider_${string}` | 'context_too_long'>;

/** Why an answer did not come, or not whole. `message` is one sentence that a person can act on. */
export class ProviderError extends Error {
  override name = 'ProviderError';
  readonly code: ProviderErrorCode;
  /** When the provider said so: milliseconds after which trying again makes sense. */
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
