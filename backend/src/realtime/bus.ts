import type { ServerEvents } from '../contract/realtime.ts';
import type { Redis } from '../db/redis.ts';

type Payload<E extends keyof ServerEvents> = Parameters<ServerEvents[E]>[0];

/** The channel on which everything about one person is published. */
export const userChannel = (userId: string): string => `user:${userId}`;

/** The form in which an event travels; readers forward it without a second thought. */
export const encodeEvent = (event: string, payload: unknown): string =>
  JSON.stringify({ event, payload });

export const decodeEvent = (text: string): { event: string; payload: unknown } => JSON.parse(text);

/** Tells every tab of a person. Fire and forget: the database is the truth, a lost event is caught up. */
export interface Bus {
  publish: <E extends Exclude<keyof ServerEvents, 'session:ended'>>(
    userId: string,
    event: E,
    payload: Payload<E>,
  ) => Promise<void>;
  /** Closes the sockets of one session, on whichever web process they are. */
  endSession: (userId: string, sessionId: string) => Promise<void>;
}

export function createBus(redis: Redis, onError: (error: unknown) => void): Bus {
  const send = async (userId: string, event: string, payload: unknown) => {
    await redis.publish(userChannel(userId), encodeEvent(event, payload)).catch(onError);
  };
  return {
    publish: (userId, event, payload) => send(userId, event, payload),
    endSession: (userId, sessionId) => send(userId, 'session:ended', { sessionId }),
  };
}
