import type { ReplyTail } from '@stolas/backend/contract';
import { ApiError, apiGet } from '../lib/api.ts';
import { getAuthToken } from '../lib/auth-token.ts';
import { reloadPage } from '../lib/location.ts';
import { queryClient } from '../lib/query-client.ts';
import { Live, type LiveListeners } from './live.ts';
import { openSocket } from './socket.ts';

export { isActive } from '@stolas/backend/contract';
export { messagesKey, sessionsKey } from './cache.ts';
export {
  byLastUpdate,
  type ConversationFilter,
  type ConversationPages,
  contains,
  conversationListKey,
  readConversationPage,
  upsertConversation,
} from './conversation-cache.ts';
export type { LiveListeners } from './live.ts';
export { GIVE_UP_MS, POLL_MS } from './polling.ts';
export { contentOf, cutParts, hasGap, type ReplyView, viewFrom } from './reply-reducer.ts';
export { subscribeReply, useConnection, useStalled, viewOf } from './reply-store.ts';

const GONE = new Set([401, 403, 404]);

/** The tab's one live connection. */
export const live = new Live({
  queryClient,
  fetchTail: (replyId, { attempt, offset }) =>
    apiGet<ReplyTail>(`/api/replies/${replyId}?attempt=${attempt}&offset=${offset}`, {
      on401: 'throw',
    }),
  isFinal: (error) => error instanceof ApiError && GONE.has(error.status),
});

/** Goes live; call it once per tab, while a signed-in user is on a live screen. @returns a function that ends it. */
export function goLive(listeners: LiveListeners): () => void {
  const token = getAuthToken();
  const onSessionEnded = () => {
    // Another tab of this browser may have signed in anew meanwhile: then this one goes on as that user.
    if (getAuthToken() === token) listeners.onSessionEnded();
    else reloadPage();
  };
  live.start({ ...listeners, onSessionEnded });
  const close = openSocket({
    token: getAuthToken,
    handlers: live.handlers,
    onConnect: () => live.connected(),
    onDisconnect: () => live.disconnected(),
    onUnauthenticated: onSessionEnded,
  });
  return () => {
    close();
    live.stop();
  };
}
