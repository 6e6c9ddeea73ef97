import type * as z from 'zod';
import type { ReplyErrorCode } from '../contract/errors.ts';
import type { ReplyPartType } from '../contract/messages.ts';
import type { ReasoningLevel } from './models.ts';

/** One message of the prompt. */
export interface PromptMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
  /** Pictures that follow the text; only for models with vision. */
  images?: readonly PromptImage[];
}

export interface PromptImage {
  /** The user's name for it. */
  name: string;
  /** image/jpeg or image/png. */
  type: string;
  bytes: Buffer;
}

export interface ChatRequest {
  messages: PromptMessage[];
  /** The requested model; by default the provider's own. */
  model?: string;
  /** Ends the call: the connection to the provider is closed, and `stream` throws. */
  signal: AbortSignal;
  /** Maximum tokens of the answer with its reasoning. */
  maxTokens: number;
  /** The amount of reasoning; by default the model's own. */
  reasoning?: ReasoningLevel;
}

/** The applied form of `ChatRequest.reasoning`. */
export interface AppliedReasoning {
  requested: ReasoningLevel;
  /** `default`: the model takes no such parameter, or the provider refused it. */
  applied: ReasoningLevel | 'default';
  /** The parameter with its value; null when none was sent. */
  parameter: string | null;
  /** The parameter that the provider refused, in this call or before: the request was repeated without it. */
  refused?: string;
}

export type ChatEvent =
  /** With a requested `reasoning`: sent each time the provider accepts the request, so the last one counts. Before any delta. */
  | ({ type: 'reasoning' } & AppliedReasoning)
  /** `reasoning` is the model's reasoning, from providers that send it. */
  | { type: 'delta'; part: ReplyPartType; text: string }
  /** The answer reached `maxTokens`. After the deltas. */
  | { type: 'cut' }
  /** The provider's own figures, in tokens. At most once, as the last event; some providers never send them. */
  | ({ type: 'usage' } & ProviderUsage);

/** The usage of a call, in tokens. */
export interface ProviderUsage {
  promptTokens: number;
  /** The part of the prompt that the provider had cached; 0 when it reports none. */
  cachedTokens: number;
  completionTokens: number;
  /** The part of the completion that was reasoning; 0 when the provider reports none. */
  reasoningTokens: number;
  /** The provider's name of the model that answered. */
  model: string;
}

/** A text model behind an API. */
export interface ChatProvider {
  /** The model for requests that name none. The provider may report a more exact name. */
  readonly model: string;
  /**
   * Streams one answer; ends normally when the provider finished it. Yielded text stays valid even when the stream fails afterwards.
   * @throws ProviderError when the provider does not deliver, also when the signal is aborted before another call; the signal's reason when
   * it has ended a call
   */
  stream(request: ChatRequest): AsyncIterable<ChatEvent>;
}

export interface JsonRequest<T> {
  /** The schema's name for the model, of a-z and `_`. */
  name: string;
  /**
   * The schema of the answer: objects whose fields are all required (nullable where a value may be missing). Limits on lengths and numbers
   * are checked here and not sent, because few servers support them.
   */
  schema: z.ZodType<T>;
  messages: PromptMessage[];
  /** Maximum tokens of the answer of each call. */
  maxTokens: number;
  /** 1: an answer that does not fit is not requested again. */
  maxCalls?: 1 | 2;
  /** Ends the call; `answer` rejects with the signal's reason. */
  signal: AbortSignal;
}

/** A model that answers with a value of a schema. */
export interface JsonModel {
  readonly model: string;
  /**
   * One answer at temperature 0. An answer that does not fit the schema is requested again once, with its faults.
   * @returns the value, and the tokens of all `calls`: the provider's figures, or counted here when it has none
   * @throws StructuredAnswerError when the second answer does not fit either; ProviderError when the provider does not deliver; the
   * signal's reason when it was aborted.
   */
  answer<T>(request: JsonRequest<T>): Promise<{ value: T; usage: ProviderUsage; calls: 1 | 2 }>;
}

/** The model's answers do not fit the schema. The message never contains them. */
export class StructuredAnswerError extends Error {
  override name = 'StructuredAnswerError';
  /** Tokens of the failed calls. */
  readonly usage: ProviderUsage;

  constructor(schemaName: string, usage: ProviderUsage) {
    super(`The model gave no answer that fits the schema ${schemaName}.`);
    this.usage = usage;
  }
}

/** A model that gives texts of similar meaning similar vectors. */
export interface Embedder {
  /** Vectors of different models cannot be compared. */
  readonly model: string;
  /**
   * One vector per text, in order, all of the same length.
   * @throws ProviderError when the provider does not deliver; the signal's reason when it was aborted.
   */
  embed(texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]>;
}

export type ProviderErrorCode = Extract<ReplyErrorCode, `provider_${string}` | 'context_too_long'>;

/**
 * The reason for a missing or incomplete answer. `message` is one sentence that a user can act on; `cause` is for the operator, without
 * text of the conversation and without secrets.
 */
export class ProviderError extends Error {
  override name = 'ProviderError';
  declare readonly cause: string | undefined;
  readonly code: ProviderErrorCode;
  /** Milliseconds after which a retry makes sense, if the provider named them. */
  readonly retryAfterMs: number | undefined;
  /** The cause, if users may see it: outside production. */
  readonly shownCause: string | undefined;

  constructor(
    code: ProviderErrorCode,
    message: string,
    options: {
      retryAfterMs?: number | undefined;
      cause?: string | undefined;
      showsCause?: boolean;
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryAfterMs = options.retryAfterMs;
    this.shownCause = options.showsCause ? options.cause : undefined;
  }
}
