import { APIConnectionError, APIConnectionTimeoutError, APIError } from 'openai';
import { ProviderError, type ProviderErrorCode } from './port.ts';

/** The reason of a failed call, and whether a retry may succeed. */
export interface Failure {
  error: ProviderError;
  retry: boolean;
}

const SITE_PROBLEM = 'STOLAS cannot answer right now. Try again later.';

interface Reason {
  code: ProviderErrorCode;
  retry: boolean;
  /** For the user. */
  sentence: string;
  /** For the operator, in the log. */
  hint?: string;
}

const REASONS = {
  busy: {
    code: 'provider_rate_limited',
    retry: true,
    sentence: 'The model provider has too many requests right now. Wait a little, then try again.',
  },
  noCredit: {
    code: 'provider_rate_limited',
    retry: false,
    sentence: SITE_PROBLEM,
    hint: 'the account with the model provider has no credit left',
  },
  down: {
    code: 'provider_unavailable',
    retry: true,
    sentence: 'The model provider cannot answer right now. Try again in a moment.',
  },
  silent: {
    code: 'provider_timeout',
    retry: true,
    sentence: 'The model provider went silent. Try again in a moment.',
  },
  unreadable: {
    code: 'provider_bad_response',
    retry: true,
    sentence: 'The answer of the model provider broke off or could not be read. Try again.',
  },
  key: {
    code: 'provider_auth',
    retry: false,
    sentence: SITE_PROBLEM,
    hint: 'the model provider does not accept the key: check OPENAI_API_KEY',
  },
  unknownModel: {
    code: 'provider_bad_response',
    retry: false,
    sentence: SITE_PROBLEM,
    hint: 'the model provider does not know the model: check OPENAI_MODEL, PERSONA_MODELS and OPENAI_BASE_URL; Ollama loads a model with `ollama pull`',
  },
  rejected: {
    code: 'provider_bad_response',
    retry: false,
    sentence: SITE_PROBLEM,
    hint: 'the model provider rejected the request: check OPENAI_MODEL and MAX_REPLY_TOKENS',
  },
  refused: {
    code: 'provider_refused',
    retry: false,
    sentence: 'The model provider declined to answer this. Put it in other words and try again.',
  },
  tooLong: {
    code: 'context_too_long',
    retry: false,
    sentence:
      'This is too long for the model. Shorten the message, or go on in a new conversation.',
  },
} as const satisfies Record<string, Reason>;

type ReasonName = keyof typeof REASONS;

/** A failure with a known reason. */
export function failure(
  name: ReasonName,
  options: { retryAfterMs?: number | undefined; cause?: string } = {},
): Failure {
  const { code, retry, sentence, hint }: Reason = REASONS[name];
  const cause = [hint, options.cause].filter((text) => text !== undefined).join('; ');
  const { retryAfterMs: waitMs } = options;
  return {
    error: new ProviderError(code, sentence, { retryAfterMs: waitMs, cause: cause || undefined }),
    retry,
  };
}

/** The same failure with the model and URL of the call in its cause, for the operator. */
export function withPlace(
  { error, retry }: Failure,
  { model, baseUrl, showsCause }: { model: string; baseUrl: string; showsCause: boolean },
): Failure {
  const { code, message, retryAfterMs: waitMs } = error;
  const cause = `${model} at ${placeOf(baseUrl)}: ${error.cause ?? code}`;
  return {
    error: new ProviderError(code, message, { retryAfterMs: waitMs, cause, showsCause }),
    retry,
  };
}

/** A base URL without user name, password and query, which may be secret. */
export function placeOf(baseUrl: string): string {
  const { origin, pathname } = new URL(baseUrl);
  return `${origin}${pathname}`.replace(/\/$/, '');
}

/**
 * Classifies an error of the SDK. The cause is a summary and never the thrown error, which may quote the conversation (a parser quotes its
 * input, some servers echo the request) and would carry it into a log.
 * @param now milliseconds of the epoch, for a Retry-After that is a date
 */
export function toFailure(thrown: unknown, now: () => number): Failure {
  if (thrown instanceof SyntaxError) return failure('unreadable', { cause: 'malformed JSON' });
  if (!(thrown instanceof APIError))
    return failure(ofBrokenStream(thrown), { cause: summary(thrown) });
  if (thrown instanceof APIConnectionError)
    return failure(ofApiError(thrown), { cause: connectionProblem(thrown) });
  const { status, code, type, param } = thrown;
  return failure(ofApiError(thrown), {
    retryAfterMs: retryAfterMs(thrown.headers, now),
    cause: Object.entries({ status, code, type, param })
      .filter(([, value]) => value != null)
      .map(([name, value]) => `${name} ${String(value)}`)
      .join(', '),
  });
}

const CHECK_URL = 'check OPENAI_BASE_URL';

const CONNECTION_PROBLEMS: Record<string, string> = {
  ECONNREFUSED: `connection refused; start the server there, or ${CHECK_URL}`,
  ECONNRESET: 'the connection was closed',
  ENOTFOUND: `no such host; ${CHECK_URL}`,
  EAI_AGAIN: `no such host; ${CHECK_URL}`,
  ETIMEDOUT: `no connection within the time limit; ${CHECK_URL}`,
  UND_ERR_CONNECT_TIMEOUT: `no connection within the time limit; ${CHECK_URL}`,
  UND_ERR_SOCKET: 'the connection was closed',
};

/** The reason for a missing connection. The system's code is in an inner cause: fetch wraps it, and the SDK wraps fetch's. */
function connectionProblem(thrown: Error): string {
  for (let inner: unknown = thrown; inner instanceof Error; inner = inner.cause) {
    if (!('code' in inner) || typeof inner.code !== 'string') continue;
    return CONNECTION_PROBLEMS[inner.code] ?? inner.code;
  }
  return 'no connection';
}

function ofApiError(error: APIError): ReasonName {
  if (error instanceof APIConnectionTimeoutError) return 'silent';
  // An error event within a stream has no status; some servers put one into its code.
  const status = error.status ?? Number(error.code);
  if (status === 401 || status === 403) return 'key';
  if (isTooLong(error, status)) return 'tooLong';
  if (/content_filter|content_policy/.test(`${error.code} ${error.type}`)) return 'refused';
  if (error.code === 'insufficient_quota' || status === 402) return 'noCredit';
  if (status === 429 || error.code === 'rate_limit_exceeded') return 'busy';
  if (status === 404) return 'unknownModel';
  if (status === 408) return 'silent';
  return status >= 400 && status < 500 ? 'rejected' : 'down';
}

/** There is no common code: OpenAI has one, compatible servers only have sentences. */
function isTooLong(error: APIError, status: number): boolean {
  if (error.code === 'context_length_exceeded' || status === 413) return true;
  const sentence =
    /context (length|window|size)|maximum context|prompt is too long|input is too long/i;
  return !(status >= 500) && status !== 429 && sentence.test(error.message);
}

/** Node's fetch times out after 300 s without a byte; other errors are a broken connection. */
function ofBrokenStream(thrown: unknown): ReasonName {
  return /timeout/i.test(summary(thrown)) ? 'silent' : 'down';
}

function summary(thrown: unknown): string {
  if (!(thrown instanceof Error)) return typeof thrown;
  const { cause } = thrown;
  const detail = cause instanceof Error && 'code' in cause ? `, ${String(cause.code)}` : '';
  return `${thrown.name}${detail}`;
}

/** `retry-after-ms` is OpenAI's; `Retry-After` is seconds or a date (RFC 9110, 10.2.3). */
function retryAfterMs(headers: Headers | undefined, now: () => number): number | undefined {
  const exact = Number(headers?.get('retry-after-ms') ?? Number.NaN);
  if (exact >= 0) return exact;
  const value = headers?.get('retry-after');
  if (!value) return undefined;
  const ms = Number.isNaN(Number(value)) ? Date.parse(value) - now() : Number(value) * 1000;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
