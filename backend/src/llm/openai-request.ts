import { APIError, type OpenAI } from 'openai';
import type { ChatRequest, PromptMessage } from './port.ts';

/**
 * The form of a request. It starts with what most servers accept: `max_tokens`, which every OpenAI-compatible server
 * supports (few support `max_completion_tokens`), and a request for usage figures. OpenAI's reasoning models refuse the
 * first, some older servers the second; the refusal names the parameter.
 */
export interface Dialect {
  readonly lengthName: 'max_tokens' | 'max_completion_tokens';
  readonly asksUsage: boolean;
}

export const COMMON_DIALECT: Dialect = { lengthName: 'max_tokens', asksUsage: true };

/** The form to try after `thrown`, or undefined when another form would not help. Never returns an earlier form. */
export function adapted(dialect: Dialect, thrown: unknown): Dialect | undefined {
  if (!(thrown instanceof APIError) || (thrown.status !== 400 && thrown.status !== 422)) {
    return undefined;
  }
  const text = `${thrown.param} ${thrown.message}`;
  if (dialect.lengthName === 'max_tokens' && text.includes('max_completion_tokens')) {
    return { ...dialect, lengthName: 'max_completion_tokens' };
  }
  if (dialect.asksUsage && /stream_options|include_usage/.test(text)) {
    return { ...dialect, asksUsage: false };
  }
  return undefined;
}

export function requestBody(
  model: string,
  request: ChatRequest,
  dialect: Dialect,
): OpenAI.ChatCompletionCreateParamsStreaming {
  return {
    model,
    messages: request.messages.map(toParam),
    stream: true,
    [dialect.lengthName]: request.maxTokens,
    ...(dialect.asksUsage ? { stream_options: { include_usage: true } } : {}),
  };
}

/** A text alone stays a string: servers of models that do not see often take nothing else. */
function toParam({ role, content, images = [] }: PromptMessage): OpenAI.ChatCompletionMessageParam {
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
