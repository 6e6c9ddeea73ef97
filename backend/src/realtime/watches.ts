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
import { conversationChannel, type Payload } from './bus.ts';
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

/** A conversation that a tab of a user watches. */
export interface Watched {
  userId: string;
  conversationId: string;
  /** Whether it belonged to the user at the last change of access. It may be given to somebody else. */
  isOwn: boolean;
  unwatch: () => void;
}

/** The conversations that one socket watches. A class, because every open tab has one. */
export class Watches {
  /** By id, whether the conversation is the user's own. */
  private readonly watched = new Map<string, boolean>();

  constructor(
    private readonly socket: UserSocket,
    private readonly channels: ChannelSockets<UserSocket>,
    private readonly presence: Presence,
  ) {}

  /**
   * Resolves when Redis has confirmed that the deltas of the conversation arrive.
   * @throws AppError too_many_requests; unavailable when it was unwatched meanwhile; what `allow` rejects with
   */
  async watch(id: string, allow?: Allow): Promise<void> {
    const { watched } = this;
    if (!watched.has(id) && watched.size >= MAX_WATCHED) throw tooMany();
    watched.set(id, watched.get(id) ?? false);
    await this.subscribe(id, allow).catch((error: unknown) => {
      this.unwatch(id);
      throw error;
    });
  }

  /** No effect on a conversation that is not watched. */
  unwatch(id: string): void {
    this.watched.delete(id);
    this.presence.leave(id, this.socket);
    void this.socket.leave(conversationChannel(id));
    this.channels.remove(conversationChannel(id), this.socket);
  }

  /** The user's access has changed: until the tab watches them again, all are checked as if they belonged to others. */
  doubtOwn(): void {
    for (const id of this.watched.keys()) this.watched.set(id, false);
  }

  /** A conversation was shared, or is private again. No effect on one that is not watched. */
  noteShared(id: string, isShared: boolean): void {
    if (!isShared) this.presence.leave(id, this.socket);
    else if (this.watched.has(id)) this.presence.enter(id, this.socket);
  }

  /** What it watches now. */
  list(): Watched[] {
    const { userId } = this.socket.data;
    return [...this.watched].map(([conversationId, isOwn]) => ({
      userId,
      conversationId,
      isOwn,
      unwatch: () => this.unwatch(conversationId),
    }));
  }

  /** The socket has closed. */
  end(): void {
    for (const id of this.watched.keys()) this.unwatch(id);
  }

  private async subscribe(id: string, allow?: Allow): Promise<void> {
    const { socket, channels, presence } = this;
    const conversation = await allow?.();
    this.requireWatched(id);
    this.watched.set(id, conversation?.ownerId === socket.data.userId);
    await channels.add(conversationChannel(id), socket);
    this.requireWatched(id);
    await socket.join(conversationChannel(id));
    if (conversation && conversation.grants.length > 0) presence.enter(id, socket);
  }

  /** The socket may have closed meanwhile, or no longer watch the conversation. */
  private requireWatched(id: string): void {
    if (!this.watched.has(id)) throw unavailable();
  }
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

/** Answers `watch`, `unwatch` and `typing` of sockets. All sockets share these listeners, which Socket.IO calls with the socket as `this`. */
export function createWatchHandlers(options: WatchOptions): (socket: UserSocket) => void {
  const { openConversation, presence, watchesPerMinute, log } = options;
  const limiter = Number.isFinite(watchesPerMinute)
    ? new RateLimiterMemory({ points: watchesPerMinute, duration: 60 })
    : undefined;
  const watch = async ({ data: { userId, watches } }: UserSocket, body: unknown) => {
    const { conversationId } = WatchBody.parse(body);
    await limiter?.consume(userId);
    await watches?.watch(conversationId, () =>
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
  function onWatch(this: UserSocket, body: unknown, answer: unknown) {
    const reply = (given: WatchAnswer) => typeof answer === 'function' && answer(given);
    watch(this, body).then(
      () => reply({}),
      (error: unknown) => reply({ error: codeOf(error, log) }),
    );
  }
  function onUnwatch(this: UserSocket, body: unknown) {
    const { data } = WatchBody.safeParse(body);
    if (data) this.data.watches?.unwatch(data.conversationId);
  }
  function onTyping(this: UserSocket, body: unknown) {
    const { data } = WatchBody.safeParse(body);
    // Nobody waits for an answer, and nothing depends on it.
    if (data) typing(this, data.conversationId).catch(() => undefined);
  }
  return (socket) => {
    socket.on('watch', onWatch);
    socket.on('unwatch', onUnwatch);
    socket.on('typing', onTyping);
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

function runningOf(event: string, payload: unknown) {
  if (event !== 'message:created' && event !== 'reply:state') return undefined;
  const { conversationId, status } =
    event === 'reply:state'
      ? (payload as Payload<'reply:state'>)
      : (payload as Payload<'message:created'>).reply;
  return { conversationId, isActive: isActive(status) };
}
