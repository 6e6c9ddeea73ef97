import type { ApiClient } from '../../test/stack.ts';

/** Calls of the API as a user: GET, or POST with a body. Any answer other than success throws, because it would improve the figures. */
export const callsOf =
  (api: ApiClient) =>
  async <T>(path: string, body?: object): Promise<T> => {
    const answer = await api.call<T>(body ? 'POST' : 'GET', path, body);
    if (answer.status >= 300)
      throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
