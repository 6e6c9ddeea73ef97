import english from 'catalogue:en/app';
import { t } from 'virtual:texts/app';
import { BUILD_HEADER, type ErrorBody } from '@stolas/backend/contract';
import { fromServer } from '../i18n/translate.ts';
import { noteBuild } from './build.ts';
import { patiently } from './patience.ts';
import { parseJson, readItem } from './storage.ts';

const TIMEOUT_MS = 300_000;

/** Where the bearer token is kept; `auth-token.ts` writes it. */
export const TOKEN_KEY = 'authToken';

/** Texts for answers of a gateway (docs/product.md, 'Error messages'). */
const SLOW_TEXTS: Partial<Record<number, 'stillProcessing' | 'takingLonger'>> = {
  524: 'stillProcessing',
  504: 'takingLonger',
  408: 'takingLonger',
};

/** An answer that is not 2xx. `message` is 'status: body text', in English: for logs and for matching. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly body?: ErrorBody;
  /** Seconds after which a retry makes sense, if the server says so. */
  readonly retryAfter?: number;

  constructor(status: number, text: string, retryAfter?: string | null) {
    super(`${status}: ${text}`);
    this.status = status;
    if (retryAfter && /^\d+$/.test(retryAfter)) this.retryAfter = Number(retryAfter);
    const body = parseErrorBody(text);
    if (body) this.body = body;
  }

  /** The sentence for the user, in the user's language; undefined when the server sent none. */
  get userMessage(): string | undefined {
    if (this.body) return fromServer(this.body.message);
    const slow = SLOW_TEXTS[this.status];
    return slow && t(slow);
  }
}

/** The server did not answer within 300 s. `message` is in English. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError';
  constructor() {
    super(String(english.timedOut));
  }

  get userMessage(): string {
    return t('timedOut');
  }
}

/** The text for the user about a failed call: the server's sentence, that of the status, else `fallback`. */
export function userMessageOf(error: unknown, fallback: string): string {
  const isKnown = error instanceof ApiError || error instanceof TimeoutError;
  return (isKnown && error.userMessage) || fallback;
}

/** What the call names does not exist, or not any more. */
export const isGone = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 404;

/** For deletions: somebody else was first. @throws any other error */
export function ignoreGone(error: unknown): void {
  if (!isGone(error)) throw error;
}

export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** The caller repeats the call itself. */
  once?: boolean;
  /** The ETag of a known answer: throws an ApiError of status 304 while it is unchanged. */
  known?: string | undefined;
  /** Called with the headers of an answer that is 2xx. */
  onHeaders?: (headers: Headers) => void;
}

/**
 * Reads `path`. Returns null when signed out (401), unless `on401` is 'throw'. While the server is unavailable for a moment, the call is
 * repeated for up to 30 s, as is a post that its id makes idempotent.
 * @throws {ApiError} not 2xx · {TimeoutError} after 300 s · TypeError without a network
 */
export function apiGet<T>(path: string, options: CallOptions & { on401: 'throw' }): Promise<T>;
export function apiGet<T>(path: string, options?: CallOptions): Promise<T | null>;
export async function apiGet<T>(
  path: string,
  { on401, ...options }: CallOptions & { on401?: 'throw' } = {},
): Promise<T | null> {
  try {
    return await call<T>('GET', path, undefined, options);
  } catch (error) {
    if (on401 !== 'throw' && error instanceof ApiError && error.status === 401) return null;
    throw error;
  }
}

/** Posts `body` as JSON, or nothing. Throws as `apiGet` does, 401 included. */
export const apiPost = <T = void>(path: string, body?: unknown, options?: CallOptions) =>
  call<T>('POST', path, body, options);

/** Posts a file, or a form with a file, unchanged. Throws as `apiPost` does. */
export const apiPostFile = <T>(path: string, file: Blob | FormData) => call<T>('POST', path, file);

/** Throws as `apiPost` does. */
export const apiPut = <T = void>(path: string, body: unknown) => call<T>('PUT', path, body);

/** Throws as `apiPost` does. */
export const apiPatch = <T = void>(path: string, body: unknown) => call<T>('PATCH', path, body);

/** Throws as `apiPost` does. */
export const apiDelete = <T = void>(path: string, body?: unknown) => call<T>('DELETE', path, body);

/** Reads `path` as text. Throws as `apiPost` does. */
export const apiGetText = (path: string): Promise<string> => callForText('GET', path, undefined);

async function call<T>(...request: Parameters<typeof callForText>): Promise<T> {
  const text = await callForText(...request);
  return (text === '' ? undefined : JSON.parse(text)) as T;
}

async function callForText(
  method: string,
  path: string,
  body: unknown,
  { signal, once = false, known, onHeaders }: CallOptions = {},
): Promise<string> {
  // The session of the first call: another user may sign in meanwhile.
  const headers = { ...headersFor(body), ...(known && { 'if-none-match': known }) };
  const ask = () => askForText(method, path, { body, headers, signal, onHeaders });
  return !once && (method === 'GET' || hasClientId(body))
    ? patiently(ask, { pauseAfter: pauseBefore, signal })
    : ask();
}

/** Repeating a request with an id of this browser has no further effect. */
const hasClientId = (body: unknown): boolean =>
  typeof body === 'object' &&
  body !== null &&
  Object.keys(body).some((key) => /^client[A-Z]\w*Id$/.test(key));

/** Up to half as long again, so that not all pages return at once. */
const pauseBefore = (error: unknown): number | undefined =>
  isTemporary(error) ? error.retryAfter * 1_000 * (1 + Math.random() / 2) : undefined;

/** Whether the server is unavailable and says for how long. */
export const isTemporary = (error: unknown): error is ApiError & { retryAfter: number } =>
  error instanceof ApiError && error.status === 503 && error.retryAfter !== undefined;

interface Asked {
  body: unknown;
  headers: Record<string, string>;
  signal: AbortSignal | undefined;
  onHeaders: CallOptions['onHeaders'];
}

async function askForText(
  method: string,
  path: string,
  { body, headers, signal, onHeaders }: Asked,
): Promise<string> {
  const timeout = new AbortController();
  const timer = setTimeout(() => timeout.abort(new TimeoutError()), TIMEOUT_MS);
  try {
    const early = method === 'GET' ? takeEarlyAnswer(path) : undefined;
    const response = await (early ??
      fetch(path, {
        method,
        credentials: 'include',
        headers,
        signal: signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal,
        ...(body !== undefined && { body: isBytes(body) ? body : JSON.stringify(body) }),
      }));
    noteBuild(response.headers.get(BUILD_HEADER));
    const text = await response.text();
    if (!response.ok)
      throw new ApiError(
        response.status,
        text || response.statusText,
        response.headers.get('retry-after'),
      );
    onHeaders?.(response.headers);
    return text;
  } catch (error) {
    throw timeout.signal.aborted ? timeout.signal.reason : error;
  } finally {
    clearTimeout(timer);
  }
}

declare global {
  interface Window {
    /** Requests that `public/start.js` made before this code was loaded, by path. */
    earlyAnswers?: Map<string, { token: string; answer: Promise<Response> }>;
  }
}

/** The answer to a request that `start.js` has made. Each is used once, and only by the same session. */
function takeEarlyAnswer(path: string): Promise<Response> | undefined {
  const early = window.earlyAnswers?.get(path);
  window.earlyAnswers?.delete(path);
  return early?.token === readItem(TOKEN_KEY) ? early?.answer : undefined;
}

const isBytes = (body: unknown): body is Blob | FormData =>
  body instanceof Blob || body instanceof FormData;

function headersFor(body: unknown): Record<string, string> {
  const token = readItem(TOKEN_KEY);
  return {
    ...(token !== null && { authorization: `Bearer ${token}` }),
    // The browser itself names the type of a form, with its boundary.
    ...(body !== undefined &&
      !(body instanceof FormData) && {
        'content-type': body instanceof Blob ? 'application/octet-stream' : 'application/json',
      }),
  };
}

function parseErrorBody(text: string): ErrorBody | undefined {
  const value = parseJson(text);
  const known = typeof value === 'object' && value !== null && 'message' in value;
  return known && typeof value.message === 'string' ? (value as ErrorBody) : undefined;
}
