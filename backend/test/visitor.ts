import type { TokenResult } from '../src/contract/auth.ts';
import type { CheckoutResult } from '../src/contract/billing.ts';
import type { ErrorBody } from '../src/contract/errors.ts';
import { newEmail, PASSWORD } from './new-user.ts';
import { type Answer, ApiClient } from './stack.ts';

export { newEmail, PASSWORD };

/** A client without a session, of the web process at `url`. */
export function visitor(url: string) {
  const nobody = new ApiClient(url, '');
  /** A call without a session, unless `headers` contain one. A body that is a string is sent unchanged. */
  const call = <T = ErrorBody>(
    method: string,
    path: string,
    { body, headers = {} }: { body?: unknown; headers?: Record<string, string> } = {},
  ): Promise<Answer<T>> => nobody.call<T>(method, path, body, headers);
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
