import type { Query, QueryClient } from '@tanstack/react-query';

/** A first read that is under way when it has to be repeated gets this long to end. */
const FIRST_READ_MS = 50;

/**
 * Reads again whatever is held under a key. A first read that is under way may have missed what was pushed: it is shown
 * or, if slow, cancelled.
 */
export function repeatRead(client: QueryClient, queryKey: readonly string[]): void {
  const isFirst = ({ state }: Query) => state.data === undefined;
  const cached = client.getQueryCache();
  const first = cached.findAll({ queryKey, fetchStatus: 'fetching', predicate: isFirst });
  for (const query of first) void repeatFirst(client, query);
  const predicate = (query: Query) => !first.includes(query);
  void client.invalidateQueries({ queryKey, predicate });
}

async function repeatFirst(client: QueryClient, query: Query): Promise<void> {
  await Promise.race([query.promise?.catch(() => undefined), pause(FIRST_READ_MS)]);
  if (query.state.data === undefined) await query.cancel({ silent: true, revert: true });
  await client.invalidateQueries({ queryKey: query.queryKey, exact: true });
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
