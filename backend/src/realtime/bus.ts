import type { ServerEvents } from '../contract/realtime.ts';
import type { Channels } from './channels.ts';

type Payload<E extends keyof ServerEvents> = Parameters<ServerEvents[E]>[0];

/** The channel for the events of a user's account, lists and conversations. Its name is also that of the former build. */
export const userChannel = (userId: string): string => `user:${userId}`;

/** The channel for the text of a conversation's replies. The braces are the hash tag of a Redis Cluster; keys with the same are in its slot. */
export const conversationChannel = (conversationId: string): string =>
  `conversation:{${conversationId}}`;

/** The published text of an event. */
export const encodeEvent = (event: string, payload: unknown): string =>
  JSON.stringify({ event, payload });

export const decodeEvent = (text: string): { event: string; payload: unknown } => JSON.parse(text);

/** Publishes events to every tab of a user. The database is authoritative: a tab that misses an event catches up later. */
export interface Bus {
  publish: <E extends Exclude<keyof ServerEvents, 'session:ended'>>(
    userId: string,
    event: E,
    payload: Payload<E>,
  ) => Promise<void>;
  /** Closes the sockets of one session on every web process. */
  endSession: (userId: string, sessionId: string) => Promise<void>;
}

export function createBus(
  channels: Pick<Channels, 'publish'>,
  onError: (error: unknown) => void,
): Bus {
  const send = async (userId: string, event: string, payload: unknown) => {
    await channels.publish(userChannel(userId), encodeEvent(event, payload)).catch(onError);
  };
  return {
    publish: (userId, event, payload) => send(userId, event, payload),
    endSession: (userId, sessionId) => send(userId, 'session:ended', { sessionId }),
  };
}
