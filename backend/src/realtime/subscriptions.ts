import type { Redis } from '../db/redis.ts';

type Handler = (text: string) => void;

/** Interval of pings; a connection that leaves a ping unanswered for this long is replaced. */
const PING_MS = 5_000;

/** Subscribes to Redis channels, once per channel for all listeners. */
export interface Subscriptions {
  /** Resolves when Redis has confirmed; from then on no event is missed. */
  listen: (channel: string, handler: Handler) => Promise<() => void>;
  /** Called when Redis is reachable again: events published meanwhile are missing. */
  onGap: (handler: () => void) => void;
}

/** `redis` must have no other use; it reconnects without limit and resubscribes by itself. */
export function createSubscriptions(redis: Redis): Subscriptions {
  const handlers = new Map<string, Set<Handler>>();
  redis.on('message', (channel: string, text: string) => {
    for (const handler of handlers.get(channel) ?? []) handler(text);
  });

  keepAlive(redis);

  const unlisten = (channel: string, handler: Handler) => {
    const set = handlers.get(channel);
    if (!set?.delete(handler) || set.size > 0) return;
    handlers.delete(channel);
    redis.unsubscribe(channel).catch(() => undefined);
  };

  return {
    listen: async (channel, handler) => {
      const set = handlers.get(channel) ?? new Set();
      handlers.set(channel, set.add(handler));
      // Redis runs a connection's commands in order, so a subscribe after a pending unsubscribe wins.
      await redis.subscribe(channel).catch((error: unknown) => {
        unlisten(channel, handler);
        throw error;
      });
      return () => unlisten(channel, handler);
    },
    onGap: (handler) => {
      redis.on('ready', handler);
    },
  };
}

/** A subscriber sends nothing, so without pings a broken connection would look like one without events. */
function keepAlive(redis: Redis): void {
  let unanswered = false;
  const ping = () => {
    if (redis.status !== 'ready') return;
    if (unanswered) {
      unanswered = false;
      redis.disconnect(true);
      return;
    }
    unanswered = true;
    const answered = () => {
      unanswered = false;
    };
    redis.ping().then(answered, answered);
  };
  setInterval(ping, PING_MS).unref();
}
