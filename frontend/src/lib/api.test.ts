import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { inGerman } from '../i18n/german.fixture.ts';
import {
  ApiError,
  apiDelete,
  apiGet,
  apiPatch,
  apiPost,
  TimeoutError,
  userMessageOf,
} from './api.ts';
import { stopWaiting, usePatience } from './patience.ts';

const fetchMock = vi.fn<typeof fetch>();
const answer = (status: number, body: string | object = '', statusText = '') =>
  fetchMock.mockResolvedValueOnce(
    new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, statusText }),
  );
const requestHeaders = () => new Headers(fetchMock.mock.lastCall?.[1]?.headers);
const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

beforeEach(() => {
  fetchMock.mockReset();
  vi.stubGlobal('fetch', fetchMock);
});
afterEach(() => void vi.useRealTimers());

it('sends cookies, the bearer token, and a content type only with a body', async () => {
  localStorage.setItem('authToken', 'secret');
  answer(200, { id: '1' });
  await apiPost('/api/conversations', { title: 'Stars' });
  expect(fetchMock.mock.lastCall?.[1]).toMatchObject({
    method: 'POST',
    credentials: 'include',
    body: '{"title":"Stars"}',
  });
  expect(requestHeaders().get('authorization')).toBe('Bearer secret');
  expect(requestHeaders().get('content-type')).toBe('application/json');

  answer(200, {});
  await apiPost('/api/auth/guest');
  expect(requestHeaders().has('content-type')).toBe(false);
});

it('sends no authorization without a token', async () => {
  answer(200, []);
  await apiGet('/api/conversations');
  expect(requestHeaders().has('authorization')).toBe(false);
});

it.each([
  ['PATCH', () => apiPatch('/api/x', {})],
  ['DELETE', () => apiDelete('/api/x')],
])('%s takes an empty answer', async (method, send) => {
  fetchMock.mockResolvedValueOnce(new Response(null, { status: 204 }));
  expect(await send()).toBeUndefined();
  expect(fetchMock.mock.lastCall?.[1]?.method).toBe(method);
});

it('returns null when signed out, unless asked to throw', async () => {
  answer(401, { message: 'Sign in first.', code: 'unauthenticated' });
  expect(await apiGet('/api/auth/user')).toBeNull();
  answer(401, { message: 'Sign in first.', code: 'unauthenticated' });
  await expect(apiGet('/api/auth/user', { on401: 'throw' })).rejects.toThrow(ApiError);
});

it('throws "status: body text" and keeps the body', async () => {
  const body = { message: 'Pick a longer password.', code: 'invalid_field' };
  answer(422, body);
  const error = await failureOf(apiPost('/api/auth/register', {}));
  expect(error).toMatchObject({
    message: `422: ${JSON.stringify(body)}`,
    status: 422,
    body,
    userMessage: body.message,
  });
});

it('falls back to the status text when the body is empty', async () => {
  answer(502, '', 'Bad Gateway');
  expect(await failureOf(apiGet('/api/x'))).toMatchObject({
    message: '502: Bad Gateway',
    userMessage: undefined,
  });
});

it.each([
  [
    524,
    'The AI is still processing your request. Complex questions can take 2-3 minutes. Please wait - your response will appear when ready.',
  ],
  [
    504,
    'The request is taking longer than expected. The AI may still be processing. Please wait a moment.',
  ],
  [
    408,
    'The request is taking longer than expected. The AI may still be processing. Please wait a moment.',
  ],
])('says the text of the catalogue for %i', async (status, text) => {
  answer(status, '<html>proxy</html>');
  const error = await failureOf(apiPost('/api/x'));
  expect(userMessageOf(error, 'fallback')).toBe(text);
});

it('times out after 300 seconds, and no earlier', async () => {
  vi.useFakeTimers();
  fetchMock.mockImplementationOnce(
    (_path, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason as Error));
      }),
  );
  let error: unknown;
  const done = apiGet('/api/x').catch((reason: unknown) => {
    error = reason;
  });
  await vi.advanceTimersByTimeAsync(299_999);
  expect(error).toBeUndefined();
  await vi.advanceTimersByTimeAsync(1);
  await done;
  expect(error).toBeInstanceOf(TimeoutError);
  expect(userMessageOf(error, '')).toBe(
    'Request timed out. The AI is taking longer than expected. Please try again.',
  );
});

describe('a server that is unavailable for a moment', () => {
  const BUSY = { message: 'Try again.', code: 'unavailable' };
  const busy = (retryAfter?: string) =>
    new Response(JSON.stringify(BUSY), {
      status: 503,
      ...(retryAfter && { headers: { 'retry-after': retryAfter } }),
    });
  const send = () => apiPost('/api/x', { clientMessageId: '1' });
  beforeEach(() => {
    vi.useFakeTimers();
    vi.spyOn(Math, 'random').mockReturnValue(0);
  });
  afterEach(() => void vi.restoreAllMocks());
  const waits = () => usePatience.getState().calls.length;

  it.each([
    ['a read', () => apiGet('/api/x')],
    ['a send with an id of this browser', send],
  ])('repeats %s after the time that the server says', async (_name, call) => {
    fetchMock.mockImplementation(async () => busy('2'));
    const done = call();
    await vi.advanceTimersByTimeAsync(11_999);
    expect([fetchMock.mock.calls.length, waits()]).toEqual([6, 1]);
    answer(200, '"late"');
    await vi.advanceTimersByTimeAsync(1);
    expect(await done).toBe('late');
    expect(waits()).toBe(0);
  });

  it('gives up after 30 s', async () => {
    fetchMock.mockImplementation(async () => busy('2'));
    const done = failureOf(send());
    await vi.advanceTimersByTimeAsync(30_000);
    expect(await done).toMatchObject({ status: 503, body: BUSY });
    expect([fetchMock.mock.calls.length, waits()]).toEqual([16, 0]);
  });

  it.each([
    ['a post without an id', () => apiPost('/api/x', { clientId: '1' }), busy('2')],
    [
      'a call whose caller repeats it',
      () => apiPost('/api/x', { clientMessageId: '1' }, { once: true }),
      busy('2'),
    ],
    ['without a time', send, busy()],
    ['for longer than it waits', send, busy('31')],
    ['too many calls', send, new Response('', { status: 429, headers: { 'retry-after': '1' } })],
  ])('does not repeat: %s', async (_name, call, response) => {
    fetchMock.mockResolvedValue(response);
    expect(await failureOf(call())).toBeInstanceOf(ApiError);
    expect([fetchMock.mock.calls.length, waits()]).toEqual([1, 0]);
  });

  it('ends when the user stops it, with the answer of the server, and when the caller does', async () => {
    fetchMock.mockImplementation(async () => busy('2'));
    const stopped = failureOf(send());
    const caller = new AbortController();
    const aborted = failureOf(apiGet('/api/x', { signal: caller.signal }));
    await vi.advanceTimersByTimeAsync(0);
    expect(waits()).toBe(2);
    caller.abort();
    expect(await aborted).toBe(caller.signal.reason);
    stopWaiting();
    expect(await stopped).toMatchObject({ status: 503 });
    expect(waits()).toBe(0);
  });

  it('repeats a call in the session in which it began', async () => {
    localStorage.setItem('authToken', 'secret');
    fetchMock.mockImplementation(async () => busy('2'));
    const done = send();
    await vi.advanceTimersByTimeAsync(0);
    localStorage.setItem('authToken', 'of another user');
    answer(200, '"late"');
    await vi.advanceTimersByTimeAsync(2_000);
    await done;
    expect(requestHeaders().get('authorization')).toBe('Bearer secret');
  });
});

it('shows the fallback for errors that have no message for the user', () => {
  expect(userMessageOf(new TypeError('Failed to fetch'), 'Try again.')).toBe('Try again.');
  expect(userMessageOf(new ApiError(500, 'boom'), 'Try again.')).toBe('Try again.');
});

it('uses the answer to a request of start.js once, and only for the same session', async () => {
  localStorage.setItem('authToken', 'secret');
  const early = (token: string) => ({
    token,
    answer: Promise.resolve(new Response('"early"', { status: 200 })),
  });
  window.earlyAnswers = new Map([
    ['/api/a', early('secret')],
    ['/api/b', early('of another session')],
  ]);
  expect(await apiGet('/api/a')).toBe('early');
  expect(fetchMock).not.toHaveBeenCalled();
  answer(200, '"later"');
  expect(await apiGet('/api/a')).toBe('later');
  answer(200, '"own"');
  expect(await apiGet('/api/b')).toBe('own');
});

describe('in German', () => {
  inGerman();

  it('translates what is for the user, and leaves the messages of errors as they are', async () => {
    const body = { message: 'Sign in to go on.', code: 'unauthenticated' };
    answer(401, body);
    expect(await failureOf(apiPost('/api/x'))).toMatchObject({
      message: `401: ${JSON.stringify(body)}`,
      userMessage: 'Melde dich an, um weiterzumachen.',
    });
    answer(524, '');
    expect(userMessageOf(await failureOf(apiPost('/api/x')), '')).toMatch(/^Die KI bearbeitet/);
    const late = new TimeoutError();
    expect(late.message).toMatch(/^Request timed out\./);
    expect(userMessageOf(late, '')).toMatch(/^Zeitüberschreitung/);
  });

  it('shows a sentence that is not translated in English', () => {
    const error = new ApiError(402, JSON.stringify({ message: 'You have used 3 of 20.' }));
    expect(userMessageOf(error, '')).toBe('You have used 3 of 20.');
  });
});
