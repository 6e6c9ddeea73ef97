import type { EventNumber, ServerEvents } from '../contract/realtime.ts';
import type { Channels } from './channels.ts';

/** What an event tells. */
export type Payload<E extends keyof ServerEvents> = Parameters<ServerEvents[E]>[0];

/** The channel for the events of a user's account, lists and conversations. Its name is also that of the former build. */
export const userChannel = (userId: string): string => `user:${userId}`;

/** The channel for the text of a conversation's replies. The braces are the hash tag of a Redis Cluster; keys with the same are in its slot. */
export const conversationChannel = (conversationId: string): string =>
  `conversation:{${conversationId}}`;

/** The published text of an event. */
export const encodeEvent = (event: string, payload: unknown): string =>
  JSON.stringify({ event, payload });

/** Only events of a user's channel have numbers, and those of the former build have none. */
export const decodeEvent = (
  text: string,
): { event: string; payload: unknown } & Partial<EventNumber> => JSON.parse(text);

/** While Redis is unreachable, it is asked again after this long. */
const RETRY_MS = 1_000;
/** Tabs whose events could not be published read again at a random time within this one. */
const SPREAD_MS = 3_000;

/**
 * Publishes events to every tab of a user. The database is authoritative: a tab that misses an event catches up later, also when the event
 * could not be published: then a gap is, once Redis is reachable.
 */
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
  channels: Pick<Channels, 'publishNumbered'>,
  onError: (error: unknown) => void,
): Bus {
  /** The users who have missed events. */
  const unreached = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const publish = (userId: string, event: string, payload: unknown) =>
    channels.publishNumbered(userChannel(userId), encodeEvent(event, payload));
  const reportGaps = async () => {
    timer = undefined;
    try {
      for (const userId of unreached) {
        await publish(userId, 'gap', { spreadMs: SPREAD_MS });
        unreached.delete(userId);
      }
    } catch {
      reportLater();
    }
  };
  const reportLater = () => {
    timer ??= setTimeout(() => void reportGaps(), RETRY_MS).unref();
  };
  const send = async (userId: string, event: string, payload: unknown) => {
    try {
      await publish(userId, event, payload);
    } catch (error) {
      unreached.add(userId);
      reportLater();
      onError(error);
    }
  };
  return {
    publish: (userId, event, payload) => send(userId, event, payload),
    endSession: (userId, sessionId) => send(userId, 'session:ended', { sessionId }),
  };
}
