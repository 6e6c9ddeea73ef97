import { randomUUID } from 'node:crypto';
import type { TokenResult } from '../src/contract/auth.ts';
import type { CheckoutResult } from '../src/contract/billing.ts';
import type { ErrorBody } from '../src/contract/errors.ts';
import { type Answer, ApiClient } from './stack.ts';

export const PASSWORD = 'a long enough password';

export const newEmail = () => `${randomUUID()}@example.com`;

interface Call {
  /** A string is sent unchanged. */
  body?: unknown;
  headers?: Record<string, string>;
}

/** A client without a session, of the web process at `url`. */
export function visitor(url: string) {
  /** A call without a session, unless `headers` contain one. */
  const call = async <T = ErrorBody>(
    method: string,
    path: string,
    { body, headers = {} }: Call = {},
  ): Promise<Answer<T>> => {
    const response = await fetch(`${url}/api${path}`, {
      method,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      redirect: 'manual',
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json');
    return {
      status: response.status,
      body: (isJson ? JSON.parse(text) : text) as T,
      headers: response.headers,
    };
  };
  const as = (token: string) => new ApiClient(url, token);

  return {
    call,
    as,
    post: <T = ErrorBody>(path: string, body?: unknown) => call<T>('POST', path, { body }),
    register: (fields: object = {}, headers: Record<string, string> = {}) =>
      call<TokenResult & ErrorBody>('POST', '/auth/register', {
        body: { email: newEmail(), password: PASSWORD, firstName: 'Ada', lastName: 'L', ...fields },
        headers,
      }),
    signIn: (email: string, password: string = PASSWORD) =>
      call<TokenResult & ErrorBody>('POST', '/auth/login', { body: { email, password } }),
    guest: async () => as((await call<TokenResult>('POST', '/auth/guest')).body.token),
    /** A new registered user, signed in. */
    member: async (email: string = newEmail()) => {
      const { body } = await call<TokenResult>('POST', '/auth/register', {
        body: { email, password: PASSWORD },
      });
      return { email, api: as(body.token) };
    },

    /** A new user with a paid plan. */
    async subscriber(plan: 'starter' | 'pro' = 'starter'): Promise<ApiClient> {
      const { api } = await this.member();
      const priceId = `price_${plan}_month`;
      const { body } = await api.post<CheckoutResult>('/stripe/checkout', { priceId });
      const sessionId = 'url' in body ? (body.url.split('/').at(-1) ?? '') : '';
      await fetch(`${url}/test-checkout/${sessionId}/pay`, { method: 'POST' });
      await api.post('/subscription/verify', { sessionId });
      return api;
    },
  };
}
