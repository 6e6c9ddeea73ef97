import type { Redis } from '../db/redis.ts';

type Handler = (text: string) => void;

/** Subscribes to Redis channels, once each however many listeners there are. */
export interface Subscriptions {
  /** Resolves when Redis has confirmed; from then on nothing that is published is missed. */
  listen: (channel: string, handler: Handler) => Promise<() => void>;
  /** Called after Redis was away: what was published meanwhile is lost to us. */
  onGap: (handler: () => void) => void;
}

/** `redis` is used for nothing else, and waits for Redis as long as it takes; it resubscribes by itself. */
export function createSubscriptions(redis: Redis): Subscriptions {
  const handlers = new Map<string, Set<Handler>>();
  redis.on('message', (channel: string, text: string) => {
    for (const handler of handlers.get(channel) ?? []) handler(text);
  });

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
      // Redis keeps a connection's commands in order, so a subscribe after an unsubscribe under way wins.
      await redis.subscribe(channel);
      return () => unlisten(channel, handler);
    },
    onGap: (handler) => {
      redis.on('ready', handler);
    },
  };
}
