import { randomUuid } from '../../../lib/uuid.ts';

/** Ids of requests that have no answer yet, by what they ask for. */
const ids = new Map<string, string>();

/** Makes a request with an id, the same one until there is an answer: the server recognises a repeated request by it. */
export async function withRequestId<T>(
  request: string,
  call: (id: string) => Promise<T>,
): Promise<T> {
  const id = ids.get(request) ?? randomUuid();
  ids.set(request, id);
  const answer = await call(id);
  ids.delete(request);
  return answer;
}
