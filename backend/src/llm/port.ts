import type * as z from 'zod';
import type { ReplyErrorCode } from '../contract/errors.ts';
import type { ReplyPartType } from '../contract/messages.ts';
import type { ReasoningLevel } from './models.ts';

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
  /** The model that is asked; the provider's own when left out. */
  model?: string;
  /** Ends the call: the connection to the provider is closed, and `stream` throws. */
  signal: AbortSignal;
  /** Maximum of the answer with its reasoning, in tokens. */
  maxTokens: number;
  /** How much the model is to reason; its own default when left out. */
  reasoning?: ReasoningLevel;
}

/** What became of `ChatRequest.reasoning`. */
export interface AppliedReasoning {
  requested: ReasoningLevel;
  /** `default`: the model takes no such parameter, or the provider refused it. */
  applied: ReasoningLevel | 'default';
  /** What was sent for it, with its value; null: nothing. */
  parameter: string | null;
  /** The parameter that the provider refused: the request was repeated without it, this time or before. */
  refused?: string;
}

export type ChatEvent =
  /** When `reasoning` was asked for: each time the provider accepts the request, so the last one counts. Before any delta. */
  | ({ type: 'reasoning' } & AppliedReasoning)
  /** `reasoning` is the model's reasoning, from providers that send it. */
  | { type: 'delta'; part: ReplyPartType; text: string }
  /** The answer is as long as `maxTokens` allows. After the deltas. */
  | { type: 'cut' }
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
  /** The model that is asked when a request names none. The one that answers may have a more exact name. */
  readonly model: string;
  /**
   * Streams one answer; ends normally when the provider finished it. Text that was yielded stays valid even when the
   * stream fails afterwards.
   * @throws ProviderError when the provider does not deliver, also when the signal is aborted before it is asked again; the
   *   signal's reason when that has ended a call
   */
  stream(request: ChatRequest): AsyncIterable<ChatEvent>;
}

export interface JsonRequest<T> {
  /** Names the schema to the model, of a-z and `_`. */
  name: string;
  /**
   * What the answer has to be: objects whose fields are all required (nullable where a value may be missing). Limits on
   * lengths and numbers are checked here and not sent, because few servers know them.
   */
  schema: z.ZodType<T>;
  messages: PromptMessage[];
  /** Maximum of the answer of each call, in tokens. */
  maxTokens: number;
  /** 1: an answer that does not fit is not asked for again. */
  maxCalls?: 1 | 2;
  /** Ends the call; `answer` rejects with the signal's reason. */
  signal: AbortSignal;
}

/** A model that answers with a value of a schema. */
export interface JsonModel {
  /** The model that is asked. */
  readonly model: string;
  /**
   * One answer at temperature 0. An answer that does not fit the schema is asked for again once, with what was wrong.
   * @returns the value, and the tokens of all `calls`: the provider's figures, or counted here when it has none
   * @throws StructuredAnswerError when the second answer does not fit either; ProviderError when the provider does not
   *   deliver; the signal's reason when it was aborted.
   */
  answer<T>(request: JsonRequest<T>): Promise<{ value: T; usage: ProviderUsage; calls: 1 | 2 }>;
}

/** The model does not answer in the form of the schema. The message never contains what it answered. */
export class StructuredAnswerError extends Error {
  override name = 'StructuredAnswerError';
  /** Tokens of the calls that were made in vain. */
  readonly usage: ProviderUsage;

  constructor(schemaName: string, usage: ProviderUsage) {
    super(`The model gave no answer that fits the schema ${schemaName}.`);
    this.usage = usage;
  }
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

/**
 * Why an answer is missing or incomplete. `message` is one sentence that a user can act on; `cause` is for the operator, and has
 * no text of the conversation and no secret.
 */
export class ProviderError extends Error {
  override name = 'ProviderError';
  declare readonly cause: string | undefined;
  readonly code: ProviderErrorCode;
  /** Milliseconds after which a retry makes sense, if the provider named them. */
  readonly retryAfterMs: number | undefined;
  /** The cause, where users may see it: outside production. */
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
