import type { EventNumber, ReplyTail, ServerEvents } from '@stolas/backend/contract';
import { ApiError } from '../lib/api.ts';
import { getAuthToken } from '../lib/auth-token.ts';
import { reloadPage } from '../lib/location.ts';
import { queryClient, userQuery } from '../lib/query-client.ts';
import { messagesKey } from './cache.ts';
import { getInSession, numbersOf } from './channel-numbers.ts';
import {
  forgetRunning,
  noteDeleted,
  noteElsewhere,
  noteExisting,
  noteLost,
  noteReply,
} from './conversation-activity.ts';
import { cachedConversation } from './conversation-cache.ts';
import { Live, type LiveListeners } from './live.ts';
import { connectionState } from './reply-store.ts';
import { openSocket } from './socket.ts';

export { isActive } from '@stolas/backend/contract';
export {
  billingKey,
  exportKey,
  memoriesKey,
  messagesKey,
  personasKey,
  removePersona,
  sessionsKey,
  updatePersona,
  usageKey,
  workspacesKey,
} from './cache.ts';
export { getNumbered } from './channel-numbers.ts';
export { forgetElsewhere, setOpenConversation, useActivity } from './conversation-activity.ts';
export {
  byLastUpdate,
  type ConversationFilter,
  type ConversationPages,
  cachedConversation,
  contains,
  conversationListKey,
  conversationsByIdQuery,
  readConversations,
  removeConversation,
  upsertConversation,
} from './conversation-cache.ts';
export {
  fileKey,
  fileListKey,
  filePagesKey,
  removeFile,
  updateFile,
} from './file-cache.ts';
export type { LiveListeners } from './live.ts';
export { GIVE_UP_MS, POLL_MS } from './polling.ts';
export { useOthers } from './presence.ts';
export { contentOf, cutParts, hasGap, type ReplyView, viewFrom } from './reply-reducer.ts';
export { subscribeReply, useConnection, useStalled, viewOf } from './reply-store.ts';

const GONE = new Set([401, 403, 404]);

/** The tab's one live connection. */
export const live = new Live({
  queryClient,
  fetchTail: (replyId, { attempt, offset }, signal) => {
    const path = `/api/replies/${replyId}?attempt=${attempt}&offset=${offset}`;
    return getInSession<ReplyTail>(path, { signal }, endedOnServer);
  },
  isFinal: (error) => error instanceof ApiError && GONE.has(error.status),
});

numbersOf(queryClient).onUnauthenticated = endedOnServer;

/** A socket that was opened early and is not used by a screen is closed after this long. */
const UNUSED_MS = 10_000;

interface OpenSocket {
  token: string | null;
  close: () => void;
}

let early: (OpenSocket & { timer: ReturnType<typeof setTimeout> }) | undefined;

/** Opens the socket before the user is known; `goLive` uses it. Does nothing when the tab is live already. */
export function connectEarly(): void {
  if (live.isStarted || early || getAuthToken() === null) return;
  const timer = setTimeout(closeEarly, UNUSED_MS);
  early = { ...connect(), timer };
}

function closeEarly(): void {
  clearTimeout(early?.timer);
  early?.close();
  early = undefined;
}

/** Goes live; call it once per tab, while a signed-in user is on a live screen. @returns a function that ends it. */
export function goLive(listeners: LiveListeners): () => void {
  live.start(listeners);
  const { close } = takeEarly() ?? connect();
  // Answers that were read before the socket connected may miss events.
  if (connectionState() === 'connected') live.connected();
  return () => {
    close();
    live.stop();
  };
}

/** Goes live on a screen that shows no conversation: only changes of the account matter. Otherwise as `goLive`. */
export const followAccount = (onSessionEnded: () => void): (() => void) =>
  goLive({
    onAccount: (user) => queryClient.setQueryData(userQuery.queryKey, user),
    onSessionEnded,
    onSlow: () => undefined,
    onSlowEnded: () => undefined,
    onSent: () => undefined,
  });

function takeEarly(): OpenSocket | undefined {
  const taken = early;
  clearTimeout(taken?.timer);
  early = undefined;
  if (taken?.token === getAuthToken()) return taken;
  taken?.close();
  return undefined;
}

function connect(): OpenSocket {
  const token = getAuthToken();
  const onSessionEnded = () => endedOnServer(token);
  const close = openSocket({
    token: getAuthToken,
    handlers: numbered({
      ...live.handlers,
      ...watchedHandlers,
      'session:ended': onSessionEnded,
    }),
    onConnect: (calls) => {
      forgetRunning();
      live.connected(calls);
    },
    onDisconnect: () => live.disconnected(),
    onUnauthenticated: onSessionEnded,
  });
  return { token, close };
}

/** The server does not accept the session of this token any more. */
function endedOnServer(token: string | null): void {
  const present = getAuthToken();
  // Another tab of this browser may have signed in meanwhile: then this one goes on as that user. Without a token the
  // session has already ended here.
  if (present !== null && present !== token) reloadPage();
  else live.handlers['session:ended']();
}

/** Events that are known already reach no handler. */
const numbered = (handlers: ServerEvents): ServerEvents =>
  Object.fromEntries(
    Object.entries(handlers).map(([event, handle]: [string, (payload: never) => void]) => [
      event,
      (payload: never, at?: EventNumber) => live.receive(at, () => handle(payload)),
    ]),
  ) as unknown as ServerEvents;

/** The server no longer shows a conversation that this tab shows: the event of its deletion, or of the end of access, was missed. */
export function noteMissedDeletion(id: string): void {
  const role = cachedConversation(queryClient, id)?.shared?.role;
  if (role && role !== 'owner') watchedHandlers['access:changed']({ conversationId: id });
  else watchedHandlers['conversation:deleted']({ id });
}

/** The handlers of events that also tell what happens in conversations that this tab does not show. */
const watchedHandlers = {
  'reply:delta': (delta) => {
    noteReply({ ...delta, status: 'streaming' });
    live.handlers['reply:delta'](delta);
  },
  'reply:state': (state) => {
    noteReply(state);
    live.handlers['reply:state'](state);
  },
  'message:created': (sent) => {
    const { id: replyId, conversationId, status } = sent.reply;
    noteReply({ replyId, conversationId, status });
    noteElsewhere(sent);
    live.handlers['message:created'](sent);
  },
  'conversation:deleted': ({ id }) => {
    noteDeleted(id);
    live.handlers['conversation:deleted']({ id });
  },
  'access:changed': ({ conversationId }) => {
    if (conversationId !== null) noteLost(conversationId);
    live.handlers['access:changed']({ conversationId });
  },
  'conversation:changed': (conversation) => {
    // The messages that this tab has are those from before the conversation was deleted.
    if (noteExisting(conversation))
      void queryClient.resetQueries({ queryKey: messagesKey(conversation.id) });
    live.handlers['conversation:changed'](conversation);
  },
} satisfies Partial<ServerEvents>;
