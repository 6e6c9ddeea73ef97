import type { Person } from './access.ts';
import type { User } from './auth.ts';
import type { Conversation, WatchBody } from './conversations.ts';
import type { ErrorCode } from './errors.ts';
import type { UserFile } from './files.ts';
import type { CreatedMessage, Message } from './messages.ts';
import type { PersonaSummary } from './personas.ts';
import type { DataExport } from './privacy.ts';
import type { ReplyDelta, ReplyState } from './replies.ts';

/** Path of the socket; websocket transport only, so that any web process can serve any connection. */
export const SOCKET_PATH = '/socket';

/** The client's `auth` in the handshake; without a token the session cookie counts. */
export interface SocketAuth {
  token?: string;
  /** The build of the page, see `isOlderBuild`. */
  build?: string;
  /** Whether the page sends `watch`. The former build does not: the server then watches for it what the user's replies run in. */
  watches?: boolean;
}

/** The conversations that one socket may watch at a time. */
export const MAX_WATCHED = 20;

/** The answer to `watch`. Without an error, no delta is missed from here on. */
export interface WatchAnswer {
  /** `not_found` also for a conversation of another user, `too_many_requests` beyond `MAX_WATCHED`. */
  error?: ErrorCode;
}

/** The people whom `presence` names; others are only counted. */
export const MAX_PRESENT = 20;

/** Somebody who has a conversation open, or is writing a message in it. */
export interface PresentPerson extends Person {
  state: 'here' | 'typing';
}

/** Who has a shared conversation open, the receiver among them: those who are writing first, then in the order in which they came. */
export interface Presence {
  conversationId: string;
  users: PresentPerson[];
  /** All of them, also those who are not named. */
  count: number;
}

/** A tab whose user is writing says so at most this often. */
export const TYPING_EVERY_MS = 3_000;

/**
 * The place of an event on the user's channel. It follows the payload of every event there; an event of the former build has none. Data that
 * was read at number n, and the events with greater numbers, are the state. When `previous` is greater than the number that a tab has, it
 * has missed events.
 */
export interface EventNumber {
  previous: number;
  number: number;
}

/**
 * The header of answers to GET of a signed-in user: the number that the user's channel had before the data was read. Missing while Redis is
 * unreachable.
 */
export const CHANNEL_NUMBER_HEADER = 'X-Channel-Number';

/** All events from a tab. */
export interface ClientEvents {
  /** The tab shows a conversation: it gets the deltas of its replies. */
  watch: (body: WatchBody, answer: (answer: WatchAnswer) => void) => void;
  unwatch: (body: WatchBody) => void;
  /** The user is writing in a shared conversation that the tab watches. Ignored without the right to send there. */
  typing: (body: WatchBody) => void;
}

/** `message` of the connect error when the session is missing or has ended. */
export const SOCKET_UNAUTHENTICATED = 'unauthenticated';

/**
 * All events from the server, all of them about the connected user. Each event has one payload. `reply:delta` and `presence` arrive for
 * conversations that the socket watches, the others for all of the user. The latter have an `EventNumber` after the payload, except those about the
 * socket itself: `channel:joined`, `build:changed`, `session:ended` and a `gap` between Redis and the web process.
 */
export interface ServerEvents {
  'reply:delta': (delta: ReplyDelta) => void;
  /** Only for a shared conversation: somebody came, left or is writing; and every 10 s. */
  presence: (presence: Presence) => void;
  'reply:state': (state: ReplyState) => void;
  /** A message was accepted, from any tab of the user. */
  'message:created': (sent: CreatedMessage) => void;
  /** The metadata of a message, which is known only at its end, was stored. */
  'message:updated': (message: Message) => void;
  /** A conversation was created, renamed, moved up the list, or shows another branch. */
  'conversation:changed': (conversation: Conversation) => void;
  /** A conversation was deleted. When it is restored, `conversation:changed` follows. */
  'conversation:deleted': (conversation: { id: string }) => void;
  /**
   * The user may no longer read a conversation that was shared with them. Null: a workspace of the user has changed, and with it perhaps what
   * they may read, or their role in it.
   */
  'access:changed': (change: { conversationId: string | null }) => void;
  /** Somebody has shared a conversation with the user, who could not read it before. */
  'conversation:shared': (shared: { id: string; title: string; by: Person }) => void;
  /** The account, its plan or its remaining quota changed. */
  'account:changed': (user: User) => void;
  /** A file of the user was stored, or its reading made progress or ended. */
  'file:changed': (file: UserFile) => void;
  /** A file of the user was deleted. */
  'file:deleted': (file: { id: string }) => void;
  /** A memory of the user was saved, changed or deleted. */
  'memory:changed': () => void;
  /** A persona of the user was created or changed. */
  'persona:summary': (persona: PersonaSummary) => void;
  /** A persona of the user was deleted. */
  'persona:deleted': (persona: { id: string }) => void;
  /** The export of the user's data made progress, ended or was erased. */
  'export:changed': (dataExport: DataExport) => void;
  /** A workspace of the user, its members or invitations changed, or the user is no longer a member. */
  'workspace:changed': () => void;
  /** From here on events arrive, with greater numbers than this one. Without a number, Redis was unreachable. */
  'channel:joined': (joined: { number?: number }) => void;
  /**
   * Events may be missing here, unless `number` is that of the last event that the tab has. The tab reads again what it shows, at a random
   * time within `spreadMs`.
   */
  gap: (gap: { spreadMs: number; number?: number }) => void;
  /** The page of this socket is older than the build of the web process; follows the handshake. */
  'build:changed': (change: { build: string }) => void;
  /** A session of the user began or ended, in this or another browser. */
  'sessions:changed': () => void;
  /** The session of this socket has ended; the socket is closed right after. */
  'session:ended': () => void;
}
