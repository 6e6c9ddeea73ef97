import { APIError, type OpenAI } from 'openai';
import type { ChatRequest } from './port.ts';

/**
 * How a request is put. It starts as most servers want it: `max_tokens`, which every OpenAI-compatible server
 * knows (`max_completion_tokens` is known to few), and a wish for usage figures. OpenAI's reasoning models
 * refuse the first, some older servers the second; the refusal names the parameter.
 */
export interface Dialect {
  readonly lengthName: 'max_tokens' | 'max_completion_tokens';
  readonly asksUsage: boolean;
}

export const COMMON_DIALECT: Dialect = { lengthName: 'max_tokens', asksUsage: true };

/** The dialect to speak after `thrown`, or undefined when it is not about that. Never leads back. */
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
    messages: request.messages,
    stream: true,
    [dialect.lengthName]: request.maxTokens,
    ...(dialect.asksUsage ? { stream_options: { include_usage: true } } : {}),
  };
}
