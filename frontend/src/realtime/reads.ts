// Reads and events may cross: an answer of the server can be older than an event that arrived while the tab waited for it,
// and an event is lost while the socket is not connected.
import type { Query, QueryClient } from '@tanstack/react-query';
import { pause } from '../lib/pause.ts';

/** Keeps the events received during reads, by id: they are newer than the answers. */
export class PushedMeanwhile<T> {
  private readonly reads = new Set<Map<string, T>>();

  note(id: string, value: T): void {
    for (const pushed of this.reads) pushed.set(id, value);
  }

  /** Reads, and merges the answer with the events received since the read began. */
  async merge<Answer, Result>(
    read: () => Promise<Answer>,
    join: (answer: Answer, pushed: ReadonlyMap<string, T>) => Result,
  ): Promise<Result> {
    const pushed = new Map<string, T>();
    this.reads.add(pushed);
    try {
      return join(await read(), pushed);
    } finally {
      this.reads.delete(pushed);
    }
  }
}

const REREAD_PAUSE_MS = 300;

/**
 * Reads conversations again after a signal that the tab may have missed something. Signals within 300 ms are one read,
 * and none is needed when what was missing has arrived by then.
 */
export class Rereads {
  private readonly waiting = new Map<
    string,
    { timer: ReturnType<typeof setTimeout>; checks: (() => boolean)[] }
  >();

  constructor(private readonly read: (conversationId: string) => void) {}

  /** Reads the conversation soon, unless nothing that was signalled is missing by then. */
  unless(conversationId: string, isComplete: () => boolean): void {
    const { checks } = this.waiting.get(conversationId) ?? this.startWaiting(conversationId);
    checks.push(isComplete);
  }

  stop(): void {
    for (const { timer } of this.waiting.values()) clearTimeout(timer);
    this.waiting.clear();
  }

  private startWaiting(conversationId: string) {
    const checks: (() => boolean)[] = [];
    const timer = setTimeout(() => {
      this.waiting.delete(conversationId);
      if (!checks.every((isComplete) => isComplete())) this.read(conversationId);
    }, REREAD_PAUSE_MS);
    const started = { timer, checks };
    this.waiting.set(conversationId, started);
    return started;
  }
}

/** A first read that is under way when it has to be repeated gets this long to end. */
const FIRST_READ_MS = 50;

/**
 * Reads all data under a key again. A first read that is under way may have missed events: its answer is shown or, if
 * it is slow, the read is cancelled.
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
