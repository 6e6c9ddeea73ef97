import { CHANNEL_NUMBER_HEADER, type EventNumber } from '@stolas/backend/contract';
import type { Query, QueryClient, QueryFunctionContext, QueryKey } from '@tanstack/react-query';
import { ApiError, apiGet, type CallOptions } from '../lib/api.ts';
import { getAuthToken } from '../lib/auth-token.ts';

/** Before every number: of data that was read at an unknown one. */
const UNKNOWN = -1;
/** After every number: of changes that this tab makes itself, according to answers of the server. */
const OWN = Number.POSITIVE_INFINITY;

type Apply = (data: unknown, queryKey: QueryKey) => unknown;

/** A read of a query that is under way; of several pages, the oldest counts. */
interface Read {
  signal: AbortSignal;
  number: number;
  /** The answer is not enough when it was read at a smaller number. */
  needed: number;
  /** More pages for those that the query had when the read began. */
  isMore: boolean;
  /** What has changed since. */
  changes: { number: number; apply: Apply }[];
}

type ReadContext = Pick<QueryFunctionContext, 'client' | 'queryKey' | 'signal'>;

/**
 * Keeps the data of queries equal to the server's: what was read at number n, and the events after n. Events arrive in the order of their
 * numbers, each at most once; some may be missing, which the next event or the next connection tells. Then what was read before is behind.
 */
export class ChannelNumbers {
  /** The number of the last event, or of the channel when this tab joined it. */
  private known = UNKNOWN;
  /** Whether an event has arrived since the tab was disconnected. */
  private hasHeard = false;
  /** No event between this number and `known` is missing. */
  private base = 0;
  /** Of the event that is being handled. */
  private current = OWN;
  private readAt = new WeakMap<Query, number>();
  private readonly reads = new Map<Query, Read>();
  /** To be read again at once. */
  private readonly stale = new Set<Query>();
  /** The first parts of the keys of all queries that events change. */
  private readonly roots = new Set<unknown>();
  /** Called when data could not be read again. */
  onFailed: (error: unknown) => void = () => {};
  /** Called with the token of a read whose session the server does not accept. */
  onUnauthenticated: (token: string | null) => void = () => {};

  constructor(private readonly client: QueryClient) {
    client.getQueryCache().subscribe((event) => {
      const { query } = event;
      const read = this.reads.get(query);
      if (!read || (event.type !== 'updated' && event.type !== 'removed')) return;
      const action = event.type === 'updated' ? event.action : undefined;
      const isDone = action?.type === 'success' && !action.manual;
      if (action && !isDone && query.state.fetchStatus !== 'idle') return;
      this.reads.delete(query);
      if (isDone) return this.finish(query, read);
      const hasData = query.state.data !== undefined;
      const error = action?.type === 'error' && hasData && !read.isMore ? action.error : undefined;
      // Otherwise nobody wanted it any more.
      if (error || read.needed > UNKNOWN) this.readAt.delete(query);
      if (error) this.onFailed(error);
    });
  }

  /** Handles an event, unless it is known. @returns whether events before it are missing */
  receive(at: EventNumber | undefined, handle: () => void): boolean {
    const { number, previous } = at ?? { number: OWN, previous: UNKNOWN };
    if (number <= this.known) return false;
    const isMissing = previous > this.known;
    if (isMissing) this.restart(previous);
    if (at) {
      this.known = number;
      this.hasHeard = true;
    }
    this.current = number;
    try {
      handle();
    } finally {
      this.current = OWN;
    }
    return isMissing;
  }

  /** From here on events may be missing. */
  disconnected(): void {
    this.hasHeard = false;
  }

  /** The number of the channel now. Without one, or after Redis has lost some, everything that was read is behind. */
  join(number: number | undefined): void {
    if (number === this.known) return;
    // Events may arrive sooner than the number that was read before them.
    if (this.hasHeard && number !== undefined && number < this.known) return;
    if (number === undefined || number < this.known) {
      this.readAt = new WeakMap();
      this.require(OWN);
    }
    if (number === undefined) return;
    this.known = number;
    this.restart(number);
  }

  /** The connection is given up. */
  leave(): void {
    this.known = UNKNOWN;
  }

  /** Reads again what is behind. What is not on screen is read when it is opened, and gone until then with `drop`. */
  catchUp(matches: (queryKey: QueryKey) => boolean, { drop = false } = {}): void {
    for (const query of this.client.getQueryCache().getAll()) {
      const { queryKey } = query;
      if (!this.roots.has(queryKey[0]) || !matches(queryKey)) continue;
      const read = this.reads.get(query);
      if (read) read.needed = Math.max(read.needed, this.base);
      else if (this.numberOf(query) >= this.base) continue;
      else if (drop && !query.isActive()) this.client.getQueryCache().remove(query);
      else this.readAgain(query);
    }
  }

  /** Changes the data of all queries under a key, also what reads that are under way answer, unless the data includes the change. */
  change<T>(queryKey: QueryKey, change: (data: T, queryKey: QueryKey) => T): void {
    const apply = change as Apply;
    for (const query of this.find(queryKey)) {
      this.reads.get(query)?.changes.push({ number: this.current, apply });
      if (this.numberOf(query) < this.current) this.apply(query, apply);
    }
  }

  /** Sets the data of one query, which need not exist. */
  put(queryKey: QueryKey, data: unknown): void {
    this.client.setQueryData(queryKey, data);
    this.change(queryKey, () => data);
    for (const query of this.find(queryKey))
      if (!this.readAt.has(query)) this.readAt.set(query, Math.min(this.current, this.known));
  }

  /** Reads all queries under a key again, unless they were read after the event that is being handled. */
  invalidate(queryKey: QueryKey): void {
    for (const query of this.find(queryKey)) {
      const read = this.reads.get(query);
      if (read) read.needed = Math.max(read.needed, this.current);
      else if (this.numberOf(query) < this.current) this.readAgain(query);
    }
  }

  /** See `getNumbered`. */
  async get<T>(path: string, { queryKey, signal }: Omit<ReadContext, 'client'>): Promise<T> {
    const read = this.begin(queryKey, signal);
    const { known } = this;
    let number = UNKNOWN;
    const onHeaders = (headers: Headers) => {
      number = Number(headers.get(CHANNEL_NUMBER_HEADER) ?? UNKNOWN);
    };
    const ask = () => getInSession<T>(path, { signal, onHeaders }, this.onUnauthenticated);
    let answer = await ask();
    // `start.js` asked for it before this tab received the last events.
    if (UNKNOWN < number && number < known) answer = await ask();
    read.number = Math.min(read.number, number);
    return answer;
  }

  private begin(queryKey: QueryKey, signal: AbortSignal): Read {
    const [query] = this.find(queryKey, true);
    const underWay = query && this.reads.get(query);
    if (underWay?.signal === signal) return underWay;
    const isMore = query?.state.fetchMeta?.fetchMore !== undefined;
    const read = { signal, number: OWN, needed: UNKNOWN, isMore, changes: [] };
    if (query) this.reads.set(query, read);
    return read;
  }

  private finish(query: Query, { number, needed, isMore, changes }: Read): void {
    this.readAt.set(query, isMore ? Math.min(number, this.numberOf(query)) : number);
    for (const change of changes)
      if (isMore || change.number > number) this.apply(query, change.apply);
    if (this.numberOf(query) < needed) this.readAgain(query);
  }

  /** Events up to this number may be missing. */
  private restart(number: number): void {
    this.base = number;
    this.require(number);
  }

  private require(number: number): void {
    for (const read of this.reads.values()) read.needed = Math.max(read.needed, number);
  }

  private apply(query: Query, apply: Apply): void {
    const { queryKey } = query;
    this.client.setQueryData(queryKey, (data: unknown) =>
      data === undefined ? data : apply(data, queryKey),
    );
  }

  /** Once, and not within the end of a read or a change. */
  private readAgain(query: Query): void {
    if (this.stale.has(query)) return;
    this.stale.add(query);
    queueMicrotask(() => {
      this.stale.delete(query);
      void this.client.invalidateQueries({ queryKey: query.queryKey, exact: true });
    });
  }

  private find(queryKey: QueryKey, exact = false): Query[] {
    this.roots.add(queryKey[0]);
    return this.client.getQueryCache().findAll({ queryKey, exact });
  }

  private numberOf(query: Query): number {
    return this.readAt.get(query) ?? UNKNOWN;
  }
}

/** Reads as `apiGet` does, and reports the end of the session: without a socket nothing else does. */
export async function getInSession<T>(
  path: string,
  options: CallOptions,
  onUnauthenticated: ChannelNumbers['onUnauthenticated'],
): Promise<T> {
  const token = getAuthToken();
  try {
    return await apiGet<T>(path, { ...options, on401: 'throw' });
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) onUnauthenticated(token);
    throw error;
  }
}

const ofClients = new WeakMap<QueryClient, ChannelNumbers>();

export function numbersOf(client: QueryClient): ChannelNumbers {
  const numbers = ofClients.get(client) ?? new ChannelNumbers(client);
  ofClients.set(client, numbers);
  return numbers;
}

/** Reads data that events change, for the query of `context`; its data then follows the events. Throws as `apiGet` does. */
export const getNumbered = <T>(path: string, context: ReadContext): Promise<T> =>
  numbersOf(context.client).get<T>(path, context);
