import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis as Server } from 'ioredis';
import type { Redis } from '../db/redis.ts';
import { channelServers } from '../db/redis-channels.ts';
import { createChannelNumbers } from './channel-numbers.ts';

type Handler = (text: string) => void;

/** Interval of pings; a connection that leaves a ping unanswered for this long is replaced. */
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
  const { commands } = servers;
  const numbers = createChannelNumbers(redis);
  const subscriptions = new Map<string, Subscription>();
  const connections = new Map<string, Server>();
  const gapHandlers = new Set<(channels: readonly string[]) => void>();
  let isClosed = false;

  const reportGap = (channels: readonly string[]) => {
    const missed = channels.filter((channel) => subscriptions.has(channel));
    if (missed.length > 0) for (const handler of gapHandlers) handler(missed);
  };

  const channelsOf = (server: string) =>
    [...subscriptions].flatMap(([channel, one]) => (one.server === server ? [channel] : []));

  const open = (server: string): Server => {
    const connection = servers.connectTo(server);
    connections.set(server, connection);
    connection.on('error', () => undefined);
    connection.on(commands.message, (channel: string, text: string) => {
      for (const handler of subscriptions.get(channel)?.handlers ?? []) handler(text);
    });
    // Commands that waited for the first connection are sent by it.
    connection.once('ready', () => {
      connection.on('ready', () => void restore(channelsOf(server)));
    });
    // The server may have lost its channels to another one, and says so only here.
    for (const event of ['close', 'moved']) connection.on(event, () => void readMoves());
    keepAlive(connection);
    return connection;
  };

  /** Subscribes at the server that has the channel now. Ends early when the channel has no handlers any more. */
  const attach = async (channel: string): Promise<void> => {
    for (;;) {
      const subscription = subscriptions.get(channel);
      if (!subscription || isClosed) return;
      const server = servers.serverOf(channel);
      subscription.server = server;
      try {
        await (connections.get(server) ?? open(server))[commands.subscribe](channel);
        return;
      } catch (error) {
        if (!mayPass(error)) throw error;
        await sleep(RETRY_MS);
        await servers.refresh();
      }
    }
  };

  const restore = async (channels: readonly string[]): Promise<void> => {
    await Promise.allSettled(channels.map(attach));
    reportGap(channels);
  };

  /** Moves channels to the servers that have them now, and closes connections without channels. */
  const follow = () => {
    const moved = [...subscriptions].flatMap(([channel, { server }]) =>
      servers.serverOf(channel) === server ? [] : [channel],
    );
    if (moved.length > 0) void restore(moved);
    const used = new Set([...subscriptions.values()].map(({ server }) => server));
    for (const [server, connection] of connections)
      if (!used.has(server)) {
        connections.delete(server);
        connection.disconnect();
      }
  };
  servers.onRefresh(follow);

  let moves = 0;
  const readMoves = async () => {
    moves += 1;
    const last = moves;
    for (const ms of MOVED_WAITS_MS) {
      await sleep(ms, undefined, { ref: false });
      // A later move is followed by readings of its own.
      if (isClosed || last !== moves) return;
      await servers.refresh();
    }
  };

  const unsubscribe = (channel: string, handler: Handler) => {
    const subscription = subscriptions.get(channel);
    if (!subscription?.handlers.delete(handler) || subscription.handlers.size > 0) return;
    subscriptions.delete(channel);
    // Redis runs a connection's commands in order, so a later subscribe wins.
    const connection = connections.get(subscription.server);
    connection?.[commands.unsubscribe](channel).catch(() => undefined);
  };

  return {
    publish: async (channel, text) => {
      await redis[commands.publish](channel, text);
    },
    publishNumbered: numbers.publish,
    readNumber: numbers.read,
    subscribe: async (channel, handler) => {
      const subscription = subscriptions.get(channel) ?? { handlers: new Set(), server: '' };
      subscriptions.set(channel, subscription);
      subscription.handlers.add(handler);
      const end = () => unsubscribe(channel, handler);
      await attach(channel).catch((error: unknown) => {
        end();
        throw error;
      });
      return end;
    },
    onGap: (handler) => {
      gapHandlers.add(handler);
    },
    close: () => {
      isClosed = true;
      for (const connection of connections.values()) connection.disconnect();
    },
  };
}

/** A subscriber sends nothing, so without pings a broken connection would look like one without events. */
function keepAlive(connection: Server): void {
  let unanswered = false;
  const ping = () => {
    if (connection.status === 'end') clearInterval(timer);
    if (connection.status !== 'ready') return;
    if (unanswered) {
      unanswered = false;
      connection.disconnect(true);
      return;
    }
    unanswered = true;
    const answered = () => {
      unanswered = false;
    };
    connection.ping().then(answered, answered);
  };
  const timer = setInterval(ping, PING_MS).unref();
}
