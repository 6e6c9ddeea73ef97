import { APIError, type ClientOptions, OpenAI } from 'openai';
import type { ChatRequest, PromptMessage } from './port.ts';
import type { ReasoningSetting } from './reasoning.ts';

export interface ServerAddress {
  baseUrl: string;
  apiKey: string;
}

/** A client without retries, and without the SDK's log, which would contain text of conversations and files. */
export const clientOf = ({ baseUrl, apiKey }: ServerAddress, options: ClientOptions = {}): OpenAI =>
  new OpenAI({ baseURL: baseUrl, apiKey, maxRetries: 0, logLevel: 'off', ...options });

/**
 * The form of a request. It starts with parameters that most servers accept: `max_tokens`, which every OpenAI-compatible server supports
 * (few support `max_completion_tokens`), a request for usage figures, and `store: false`, so that OpenAI keeps no data of the call.
 * OpenAI's reasoning models refuse the first, some older servers the second, strict servers the third; the refusal names the parameter.
 */
export interface Dialect {
  readonly lengthName: 'max_tokens' | 'max_completion_tokens';
  readonly asksUsage: boolean;
  readonly forbidsStoring: boolean;
  /** Reasoning parameters that the server refused, or `parameter=value` when it refused the value. */
  readonly refused: readonly string[];
}

export const COMMON_DIALECT: Dialect = {
  lengthName: 'max_tokens',
  asksUsage: true,
  forbidsStoring: true,
  refused: [],
};

interface Refusal {
  text: string;
  isNameless: boolean;
  /** Whether only the value is refused. */
  isOfValue: boolean;
}

/** A server's refusal of the request's form; undefined for any other failure. */
export function refusalOf(thrown: unknown): Refusal | undefined {
  if (!(thrown instanceof APIError) || (thrown.status !== 400 && thrown.status !== 422))
    return undefined;
  // The SDK does not read an error body in another form than OpenAI's.
  return {
    text: `${thrown.param} ${thrown.message}`,
    isNameless: thrown.error === undefined,
    isOfValue: thrown.code === 'unsupported_value',
  };
}

/**
 * The form to use after `thrown`, or undefined when another form would not help. Never returns an earlier form.
 * @param setting the requested amount of reasoning
 */
export function adapted<D extends Dialect>(
  dialect: D,
  thrown: unknown,
  setting?: ReasoningSetting | null,
): D | undefined {
  const refusal = refusalOf(thrown);
  if (!refusal) return undefined;
  const { text, isNameless } = refusal;
  if (dialect.lengthName === 'max_tokens' && text.includes('max_completion_tokens')) {
    return { ...dialect, lengthName: 'max_completion_tokens' };
  }
  if (dialect.asksUsage && /stream_options|include_usage/.test(text)) {
    return { ...dialect, asksUsage: false };
  }
  // Only OpenAI documents `store`, so it is left out first when a refusal names no parameter.
  if (dialect.forbidsStoring && (isNameless || /\bstore\b/.test(text))) {
    return { ...dialect, forbidsStoring: false };
  }
  if (setting && sends(dialect, setting) && (isNameless || names(text, setting))) {
    const refused = refusal.isOfValue ? withValue(setting) : setting.parameter;
    return { ...dialect, refused: [...dialect.refused, refused] };
  }
  return undefined;
}

const names = (text: string, { fields }: ReasoningSetting): boolean =>
  Object.keys(fields).some((name) => new RegExp(`\\b${name}\\b`).test(text));

const withValue = ({ parameter, value }: ReasoningSetting): string => `${parameter}=${value}`;

/** Whether the request contains the amount of reasoning. */
export const sends = ({ refused }: Dialect, setting: ReasoningSetting): boolean =>
  !refused.includes(setting.parameter) && !refused.includes(withValue(setting));

/** The combined knowledge of two concurrent calls. */
export const together = (a: Dialect, b: Dialect): Dialect => ({
  lengthName: a.lengthName === 'max_tokens' ? b.lengthName : a.lengthName,
  asksUsage: a.asksUsage && b.asksUsage,
  forbidsStoring: a.forbidsStoring && b.forbidsStoring,
  refused: [...new Set([...a.refused, ...b.refused])],
});

export function requestBody(
  model: string,
  request: ChatRequest,
  { dialect, setting }: { dialect: Dialect; setting?: ReasoningSetting | null },
): OpenAI.ChatCompletionCreateParamsStreaming {
  return {
    model,
    messages: request.messages.map(toParam),
    stream: true,
    [dialect.lengthName]: request.maxTokens,
    ...(dialect.asksUsage ? { stream_options: { include_usage: true } } : {}),
    ...(dialect.forbidsStoring ? { store: false } : {}),
    ...(setting && sends(dialect, setting) ? setting.fields : {}),
  };
}

/** A single text stays a string: servers of models without vision often accept nothing else. */
export function toParam({
  role,
  content,
  images = [],
}: PromptMessage): OpenAI.ChatCompletionMessageParam {
  if (role !== 'user' || images.length === 0) return { role, content };
  return {
    role,
    content: [
      { type: 'text', text: content },
      ...images.flatMap(({ name, type, bytes }): OpenAI.ChatCompletionContentPart[] => [
        { type: 'text', text: `Image ${JSON.stringify(name)}:` },
        {
          type: 'image_url',
          image_url: { url: `data:${type};base64,${bytes.toString('base64')}` },
        },
      ]),
    ],
  };
}
