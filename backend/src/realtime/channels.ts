import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis as Server } from 'ioredis';
import type { Redis } from '../db/redis.ts';
import { type ChannelServers, channelServers } from '../db/redis-channels.ts';
import { createChannelNumbers } from './channel-numbers.ts';

type Handler = (text: string) => void;

/** Interval of pings. */
const PING_MS = 5_000;
/** The wait before a channel is subscribed again whose server refused it, such as while a Cluster chooses another primary. */
const RETRY_MS = 200;
/**
 * When a slot has moved, the map of the slots is read after each of these waits: it comes from any node of the Cluster, and that node, or a
 * reading that is under way, may not know of the move yet.
 */
const MOVED_WAITS_MS = [0, 200, 1_000, 5_000];

/** Channels that all processes share: what one publishes, every subscriber receives, or is told that it may have missed something. */
export interface Channels {
  /** Rejects while Redis is unreachable. */
  publish: (channel: string, text: string) => Promise<void>;
  /**
   * Publishes the text of an object with two more fields: `number`, by which the events of the channel are ordered, and `previous`, the
   * number of the event before. The channel has no hash tag. Rejects as `publish` does.
   */
  publishNumbered: (channel: string, text: string) => Promise<void>;
  /** The number of the last event of a channel. Every later event has a greater one. Rejects as `publish` does. */
  readNumber: (channel: string) => Promise<number>;
  /** Resolves when Redis has confirmed; from then on every text arrives, or a gap is reported. The function that it returns ends it. */
  subscribe: (channel: string, handler: Handler) => Promise<() => void>;
  /** Called with subscribed channels, once they receive again: texts that were published before are missing. */
  onGap: (handler: (channels: readonly string[]) => void) => void;
  close: () => void;
}

/** Answers of a server that does not have the channel now, or is not ready. */
const PASSING = /^(MOVED|ASK|TRYAGAIN|CLUSTERDOWN|LOADING|READONLY|UNBLOCKED|MASTERDOWN)\b/;
/** Whether another attempt may succeed: errors of connections pass, other refusals do not. */
const mayPass = (error: unknown): boolean =>
  error instanceof Error && (error.name !== 'ReplyError' || PASSING.test(error.message));

interface Subscription {
  handlers: Set<Handler>;
  /** The server that was asked last. */
  server: string;
}

/**
 * Channels on the servers that `redis` uses: a single one, or the primaries of a Cluster, each with a connection of its own. A channel is
 * subscribed once, for all its handlers, and follows its slot to another primary.
 */
export function createChannels(redis: Redis): Channels {
  const servers = channelServers(redis);
  const numbers = createChannelNumbers(redis);
  const subscriber = new Subscriber(servers);
  return {
    publish: async (channel, text) => {
      await redis[servers.commands.publish](channel, text);
    },
    publishNumbered: numbers.publish,
    readNumber: numbers.read,
    subscribe: (channel, handler) => subscriber.subscribe(channel, handler),
    onGap: (handler) => subscriber.onGap(handler),
    close: () => subscriber.close(),
  };
}

class Subscriber {
  private readonly subscriptions = new Map<string, Subscription>();
  private readonly connections = new Map<string, Server>();
  private readonly gapHandlers = new Set<(channels: readonly string[]) => void>();
  private moves = 0;
  private isClosed = false;

  constructor(private readonly servers: ChannelServers) {
    servers.onRefresh(() => this.follow());
  }

  async subscribe(channel: string, handler: Handler): Promise<() => void> {
    const subscription = this.subscriptions.get(channel) ?? { handlers: new Set(), server: '' };
    this.subscriptions.set(channel, subscription);
    subscription.handlers.add(handler);
    const end = () => this.unsubscribe(channel, handler);
    await this.attach(channel).catch((error: unknown) => {
      end();
      throw error;
    });
    return end;
  }

  onGap(handler: (channels: readonly string[]) => void): void {
    this.gapHandlers.add(handler);
  }

  close(): void {
    this.isClosed = true;
    for (const connection of this.connections.values()) connection.disconnect();
  }

  private reportGap(channels: readonly string[]): void {
    const missed = channels.filter((channel) => this.subscriptions.has(channel));
    if (missed.length > 0) for (const handler of this.gapHandlers) handler(missed);
  }

  private channelsOf(server: string): string[] {
    return [...this.subscriptions].flatMap(([channel, one]) =>
      one.server === server ? [channel] : [],
    );
  }

  private open(server: string): Server {
    const { servers } = this;
    const connection = servers.connectTo(server);
    this.connections.set(server, connection);
    connection.on('error', () => undefined);
    connection.on(servers.commands.message, (channel: string, text: string) => {
      for (const handler of this.subscriptions.get(channel)?.handlers ?? []) handler(text);
    });
    // Commands that waited for the first connection are sent by it.
    connection.once('ready', () => {
      connection.on('ready', () => void this.restore(this.channelsOf(server)));
    });
    // The server may have lost its channels to another one, and says so only here.
    for (const event of ['close', 'moved']) connection.on(event, () => void this.readMoves());
    keepAlive(connection);
    return connection;
  }

  /** Subscribes at the server that has the channel now. Ends early when the channel has no handlers any more. */
  private async attach(channel: string): Promise<void> {
    for (;;) {
      const subscription = this.subscriptions.get(channel);
      if (!subscription || this.isClosed) return;
      const server = this.servers.serverOf(channel);
      subscription.server = server;
      try {
        const connection = this.connections.get(server) ?? this.open(server);
        await connection[this.servers.commands.subscribe](channel);
        return;
      } catch (error) {
        if (!mayPass(error)) throw error;
        await sleep(RETRY_MS);
        await this.servers.refresh();
      }
    }
  }

  private async restore(channels: readonly string[]): Promise<void> {
    await Promise.allSettled(channels.map((channel) => this.attach(channel)));
    this.reportGap(channels);
  }

  /** Moves channels to the servers that have them now, and closes connections without channels. */
  private follow(): void {
    const moved = [...this.subscriptions].flatMap(([channel, { server }]) =>
      this.servers.serverOf(channel) === server ? [] : [channel],
    );
    if (moved.length > 0) void this.restore(moved);
    const used = new Set([...this.subscriptions.values()].map(({ server }) => server));
    for (const [server, connection] of this.connections)
      if (!used.has(server)) {
        this.connections.delete(server);
        connection.disconnect();
      }
  }

  private async readMoves(): Promise<void> {
    this.moves += 1;
    const last = this.moves;
    for (const ms of MOVED_WAITS_MS) {
      await sleep(ms, undefined, { ref: false });
      // A later move is followed by readings of its own.
      if (this.isClosed || last !== this.moves) return;
      await this.servers.refresh();
    }
  }

  private unsubscribe(channel: string, handler: Handler): void {
    const subscription = this.subscriptions.get(channel);
    if (!subscription?.handlers.delete(handler) || subscription.handlers.size > 0) return;
    this.subscriptions.delete(channel);
    // Redis runs a connection's commands in order, so a later subscribe wins.
    const connection = this.connections.get(subscription.server);
    connection?.[this.servers.commands.unsubscribe](channel).catch(() => undefined);
  }
}

/**
 * A subscriber sends nothing, so without pings a broken connection would look like one without events. One that leaves a ping unanswered is
 * closed by its `socketTimeout`.
 */
function keepAlive(connection: Server): void {
  const ping = () => {
    if (connection.status === 'end') clearInterval(timer);
    if (connection.status === 'ready') connection.ping().catch(() => undefined);
  };
  const timer = setInterval(ping, PING_MS).unref();
}
