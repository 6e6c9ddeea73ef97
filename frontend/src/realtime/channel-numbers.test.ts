import type { Conversation, EventNumber, Message, Persona } from '@stolas/backend/contract';
import { InfiniteQueryObserver, QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { messagesKey, personasKey } from './cache.ts';
import { ModelServer, type Random, randomOf, type Sent } from './channel-numbers.fixture.ts';
import { getNumbered } from './channel-numbers.ts';
import { conversationListKey, conversationPage } from './conversation-cache.ts';
import { Live } from './live.ts';

/** A request of the tab. Its number is read first, then the data, and then the answer arrives. */
interface Call {
  path: string;
  signal: AbortSignal | null | undefined;
  number?: number;
  body?: string;
  resolve: (response: Response) => void;
  reject: (error: unknown) => void;
}

type Packet = Sent | { event: 'channel:joined'; payload: { number: number }; at?: undefined };

/** A tab and its server, with everything in between that can go wrong. */
class World {
  readonly calls: Call[] = [];
  reads = 0;
  isSlow = true;
  readonly client = new QueryClient({
    defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY, retry: false } },
  });
  readonly live: Live;
  readonly server: ModelServer;
  private isConnected = false;
  private packets: Packet[] = [];
  private answers: (() => void)[] = [];
  private readonly conversations = new InfiniteQueryObserver(this.client, {
    queryKey: conversationListKey({}),
    queryFn: async (read) => {
      const path = `/api/conversations${read.pageParam ? `?before=${read.pageParam}` : ''}`;
      return conversationPage(await getNumbered<Conversation[]>(path, read), 3);
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
  });
  private readonly ends: (() => void)[] = [];

  constructor(readonly random: Random) {
    this.server = new ModelServer(random, (sent) => this.isConnected && this.packets.push(sent));
    this.live = new Live({
      queryClient: this.client,
      fetchTail: () => new Promise(() => {}),
      isFinal: () => true,
    });
    this.live.start({
      onAccount: () => {},
      onSessionEnded: () => {},
      onSlow: () => {},
      onSlowEnded: () => {},
      onSent: () => {},
    });
    vi.stubGlobal('fetch', this.fetch);
  }

  /** Shows everything, as the page does when it opens. */
  open(): void {
    this.ends.push(
      this.conversations.subscribe(() => {}),
      new QueryObserver(this.client, {
        queryKey: personasKey,
        queryFn: (read) => getNumbered<Persona[]>('/api/personas', read),
      }).subscribe(() => {}),
      new QueryObserver(this.client, {
        queryKey: ['memories', 'present'],
        queryFn: (read) => getNumbered<number>('/api/memories', read),
      }).subscribe(() => {}),
      new QueryObserver(this.client, {
        queryKey: messagesKey('c0'),
        queryFn: (read) =>
          this.live.read('c0', () => getNumbered<Message[]>('/api/messages', read)),
      }).subscribe(() => {}),
    );
  }

  connect(): void {
    if (this.isConnected) return;
    this.isConnected = true;
    this.live.connected();
    this.packets.push({ event: 'channel:joined', payload: { number: this.server.number } });
  }

  cut(): void {
    this.isConnected = false;
    this.packets = [];
    this.live.disconnected();
  }

  showMore(): void {
    const { hasNextPage, isFetching } = this.conversations.getCurrentResult();
    if (hasNextPage && !isFetching) void this.conversations.fetchNextPage().catch(() => undefined);
  }

  /** This tab sends a message; the answer arrives before or after the event. */
  send(): void {
    const sent = this.server.send(this.server.activeLeafId);
    this.answers.push(() => this.live.addSent(sent));
  }

  answerSend(): void {
    this.answers.shift()?.();
  }

  /** One packet arrives, out of order, twice, or not at all. */
  deliver({ isFaulty }: { isFaulty: boolean }): void {
    const { packets, random } = this;
    const index = isFaulty && random(4) === 0 ? random(packets.length) : 0;
    const packet = packets[index];
    if (!packet) return;
    // What tells the number of a connection is not lost: without it there is no connection.
    const canFail = isFaulty && packet.event !== 'channel:joined';
    if (!canFail || random(5) > 0) packets.splice(index, 1);
    if (canFail && random(6) === 0) return;
    const handle = this.live.handlers[packet.event] as (payload: unknown) => void;
    this.live.receive(packet.at as EventNumber | undefined, () => handle(packet.payload));
  }

  /** One request makes one step. */
  serve({ isFaulty }: { isFaulty: boolean }): void {
    const { calls, random, server } = this;
    const call = calls[random(calls.length)];
    if (!call) return;
    if (call.number === undefined) call.number = server.number;
    else if (call.body === undefined) call.body = JSON.stringify(server.read(call.path));
    else {
      calls.splice(calls.indexOf(call), 1);
      if (isFaulty && random(8) === 0) return call.reject(new TypeError('no network'));
      const isNumbered = !isFaulty || random(8) > 0;
      const headers = isNumbered ? { 'X-Channel-Number': String(call.number) } : {};
      call.resolve(new Response(call.body, { headers }));
    }
  }

  /** Everything arrives. */
  async settle(): Promise<void> {
    while (this.answers.length > 0) this.answerSend();
    for (let n = 0; n < 60; n += 1) {
      while (this.packets.length > 0) this.deliver({ isFaulty: false });
      while (this.calls.length > 0) this.serve({ isFaulty: false });
      await vi.advanceTimersByTimeAsync(100);
    }
  }

  close(): void {
    for (const end of this.ends) end();
    this.live.stop();
    this.client.clear();
  }

  /** What the tab shows, and what the server has. */
  compare() {
    const { client, server } = this;
    const shownOf = (messages: readonly Message[]) =>
      messages.map(({ id, ...message }) =>
        message.role === 'user' ? id : [id, message.status, message.feedback?.rating],
      );
    const messages = client.getQueryData<Message[]>(messagesKey('c0')) ?? [];
    const path = server.path();
    const pages = this.conversations.getCurrentResult().data?.pages ?? [];
    const listed = pages.flatMap(({ conversations }) => conversations);
    const all = server.conversations.toSorted((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1));
    const isWhole = pages.length > 0 && pages.at(-1)?.next === null;
    return {
      tab: {
        conversations: listed,
        personas: client.getQueryData(personasKey),
        memories: client.getQueryData(['memories', 'present']),
        messages: shownOf(messages.slice(-6)),
      },
      server: {
        conversations: isWhole ? all : all.slice(0, listed.length),
        personas: server.personas,
        memories: server.memories,
        messages: shownOf(path.slice(-Math.min(6, messages.length || 1))),
      },
    };
  }

  private readonly fetch = (path: string, { signal }: RequestInit): Promise<Response> =>
    new Promise((resolve, reject) => {
      this.reads += 1;
      const call: Call = { path, signal, resolve, reject };
      this.calls.push(call);
      signal?.addEventListener('abort', () => {
        if (this.calls.includes(call)) this.calls.splice(this.calls.indexOf(call), 1);
        reject(signal.reason);
      });
    });
}

let world: World;

const open = (seed: number) => {
  world = new World(randomOf(seed));
  return world;
};

beforeEach(() => void vi.useFakeTimers());

afterEach(() => {
  world.close();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** Anything happens, and then everything that was sent arrives. */
async function run(seed: number) {
  const { random } = open(seed);
  // The packets of half of the runs are only lost with the connection, as in a browser.
  const isFaulty = seed % 2 === 0;
  const steps = [
    () => world.server.change(),
    () => world.server.change(),
    () => world.deliver({ isFaulty }),
    () => world.deliver({ isFaulty }),
    () => world.deliver({ isFaulty }),
    () => world.serve({ isFaulty }),
    () => world.serve({ isFaulty }),
    () => world.serve({ isFaulty }),
    () => random(3) === 0 && world.cut(),
    () => world.connect(),
    () => random(2) === 0 && world.showMore(),
    () => random(2) === 0 && world.send(),
    () => world.answerSend(),
    () => random(8) === 0 && world.live.handlers.gap({ spreadMs: 200, number: world.server.number }),
  ];
  if (random(2) === 0) world.connect();
  world.open();
  for (let n = 0; n < 60; n += 1) {
    steps[random(steps.length)]?.();
    await vi.advanceTimersByTimeAsync(random(4) === 0 ? random(1_500) : 0);
  }
  // A connection that stays tells about everything that was lost with the next event.
  if (isFaulty || random(2) === 0) world.cut();
  world.connect();
  world.server.change();
  await world.settle();
}

describe('a tab with cuts, losses, duplicates, other orders and slow reads', () => {
  it.each(Array.from({ length: 20 }, (_, n) => n * 50))(
    'equals the server in the end (50 seeds from %i)',
    async (first) => {
      for (let seed = first; seed < first + 50; seed += 1) {
        await run(seed);
        const { tab, server } = world.compare();
        expect(tab, `seed ${seed}`).toEqual(server);
        world.close();
      }
    },
  );
});
