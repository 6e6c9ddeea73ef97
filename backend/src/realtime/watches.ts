import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { DefaultEventsMap, Socket } from 'socket.io';
import type { Actor } from '../access/index.ts';
import { WatchBody } from '../contract/conversations.ts';
import { isActive } from '../contract/messages.ts';
import {
  type ClientEvents,
  MAX_WATCHED,
  type ServerEvents,
  type WatchAnswer,
} from '../contract/realtime.ts';
import { AppError, unavailable } from '../errors.ts';
import type { Log } from '../log.ts';
import { conversationChannel } from './bus.ts';
import type { ChannelSockets } from './channel-sockets.ts';
import type { PresenceNotes } from './presence.ts';

export interface SocketData extends Pick<Actor, 'userId' | 'sessionId'> {
  /** What its tab watches. */
  watches?: Watches;
  /** Of a tab of the former build, which does not send `watch`. */
  following?: Watches;
}

export type UserSocket = Socket<ClientEvents, ServerEvents, DefaultEventsMap, SocketData>;

/** A conversation that a user may read. */
export interface Readable {
  ownerId: string;
  /** Those with whom it is shared. */
  grants: readonly unknown[];
}
/** Finds a conversation that the user may read. @throws AppError not_found */
type Allow = () => Promise<Readable>;
/** Who is there is told of a shared conversation only: a private one costs nothing. */
type Presence = Pick<PresenceNotes, 'enter' | 'leave'>;

/** The conversations that one socket watches. */
export interface Watches {
  /**
   * Resolves when Redis has confirmed that the deltas of the conversation arrive.
   * @throws AppError too_many_requests; unavailable when it was unwatched meanwhile; what `allow` rejects with
   */
  watch: (conversationId: string, allow?: Allow) => Promise<void>;
  /** No effect on a conversation that is not watched. */
  unwatch: (conversationId: string) => void;
  /** A conversation was shared, or is private again. No effect on one that is not watched. */
  noteShared: (conversationId: string, isShared: boolean) => void;
  /** What it watches now. */
  list: () => Watched[];
  /** The socket has closed. */
  end: () => void;
}

/** A conversation that a tab of a user watches. */
export interface Watched {
  userId: string;
  conversationId: string;
  /** Whether it belongs to the user: access to it does not end. */
  isOwn: boolean;
  unwatch: () => void;
}

export function createWatches(
  socket: UserSocket,
  channels: ChannelSockets<UserSocket>,
  presence: Presence,
): Watches {
  const { userId } = socket.data;
  /** By id, whether the conversation is the user's own. */
  const watched = new Map<string, boolean>();
  const unwatch = (id: string) => {
    watched.delete(id);
    presence.leave(id, socket);
    void socket.leave(conversationChannel(id));
    channels.remove(conversationChannel(id), socket);
  };
  /** The socket may have closed meanwhile, or no longer watch the conversation. */
  const requireWatched = (id: string) => {
    if (!watched.has(id)) throw unavailable();
  };
  const subscribe = async (id: string, allow?: Allow) => {
    const conversation = await allow?.();
    requireWatched(id);
    watched.set(id, conversation?.ownerId === userId);
    await channels.add(conversationChannel(id), socket);
    requireWatched(id);
    await socket.join(conversationChannel(id));
    if (conversation && conversation.grants.length > 0) presence.enter(id, socket);
  };
  return {
    watch: async (id, allow) => {
      if (!watched.has(id) && watched.size >= MAX_WATCHED) throw tooMany();
      watched.set(id, watched.get(id) ?? false);
      await subscribe(id, allow).catch((error: unknown) => {
        unwatch(id);
        throw error;
      });
    },
    unwatch,
    noteShared: (id, isShared) => {
      if (!isShared) presence.leave(id, socket);
      else if (watched.has(id)) presence.enter(id, socket);
    },
    list: () =>
      [...watched].map(([conversationId, isOwn]) => ({
        userId,
        conversationId,
        isOwn,
        unwatch: () => unwatch(conversationId),
      })),
    end: () => {
      for (const id of watched.keys()) unwatch(id);
    },
  };
}

const tooMany = () => new AppError('too_many_requests', 'Too many conversations are watched.');

/** @throws AppError not_found when the user may not read the conversation; forbidden when they may not write in it */
export type OpenConversation = (
  actor: Pick<Actor, 'userId'>,
  wanted: { id: string; action: 'read' | 'write' },
) => Promise<Readable>;

/** What one user may say about writing per minute on this process; a tab needs a third of it. */
const TYPING_PER_MINUTE = 60;

interface WatchOptions {
  openConversation: OpenConversation;
  presence: Pick<PresenceNotes, 'has' | 'write'>;
  /** Conversations that one user may begin to watch per minute on this process; `Infinity` for load tests. */
  watchesPerMinute: number;
  log: Log;
}

/** Answers `watch`, `unwatch` and `typing` of sockets. */
export function createWatchHandlers(options: WatchOptions) {
  const { openConversation, presence, watchesPerMinute, log } = options;
  const limiter = Number.isFinite(watchesPerMinute)
    ? new RateLimiterMemory({ points: watchesPerMinute, duration: 60 })
    : undefined;
  const watch = async (socket: UserSocket, watches: Watches, body: unknown) => {
    const { conversationId } = WatchBody.parse(body);
    const { userId } = socket.data;
    await limiter?.consume(userId);
    await watches.watch(conversationId, () =>
      openConversation({ userId }, { id: conversationId, action: 'read' }),
    );
  };
  const typingLimiter = new RateLimiterMemory({ points: TYPING_PER_MINUTE, duration: 60 });
  const typing = async (socket: UserSocket, id: string) => {
    if (!presence.has(id, socket)) return;
    const { userId } = socket.data;
    await typingLimiter.consume(userId);
    await openConversation({ userId }, { id, action: 'write' });
    presence.write(id, socket);
  };
  return (socket: UserSocket, watches: Watches): void => {
    socket.on('watch', (body: unknown, answer: unknown) => {
      const reply = (given: WatchAnswer) => typeof answer === 'function' && answer(given);
      watch(socket, watches, body).then(
        () => reply({}),
        (error: unknown) => reply({ error: codeOf(error, log) }),
      );
    });
    socket.on('unwatch', (body: unknown) => {
      const { data } = WatchBody.safeParse(body);
      if (data) watches.unwatch(data.conversationId);
    });
    socket.on('typing', (body: unknown) => {
      const { data } = WatchBody.safeParse(body);
      // Nobody waits for an answer, and nothing depends on it.
      if (data) typing(socket, data.conversationId).catch(() => undefined);
    });
  };
}

function codeOf(error: unknown, log: Log) {
  if (error instanceof AppError) return error.code;
  if (error instanceof RateLimiterRes) return 'too_many_requests' as const;
  if (error instanceof Error && error.name === 'ZodError') return 'malformed' as const;
  log.warn({ err: error }, 'conversation could not be watched');
  return 'unavailable' as const;
}

/**
 * A tab of the former build gets the deltas of a reply from its begin to its end, as if it watched the conversation. Deltas that it misses
 * before show as a gap, and it reads them.
 */
export function followReplies(
  sockets: Iterable<UserSocket>,
  event: string,
  payload: unknown,
): void {
  const reply = runningOf(event, payload);
  if (!reply) return;
  for (const { data } of sockets) {
    if (!data.following) continue;
    if (!reply.isActive) data.following.unwatch(reply.conversationId);
    // Without the deltas the tab polls the reply.
    else data.following.watch(reply.conversationId).catch(() => undefined);
  }
}

type Payload<E extends keyof ServerEvents> = Parameters<ServerEvents[E]>[0];

function runningOf(event: string, payload: unknown) {
  if (event !== 'message:created' && event !== 'reply:state') return undefined;
  const { conversationId, status } =
    event === 'reply:state'
      ? (payload as Payload<'reply:state'>)
      : (payload as Payload<'message:created'>).reply;
  return { conversationId, isActive: isActive(status) };
}
