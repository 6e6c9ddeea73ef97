import { pause } from '../../lib/pause.ts';
import { queryClient } from '../../lib/query-client.ts';
import { conversationsQuery, messagesQuery } from './api.ts';
import { selected } from './selection.ts';
import { preloadReplies } from './thread/lazy.tsx';
import { isNewChat } from './use-conversation.ts';

/** Then the screen is shown as far as it is known: the server or the connection is slow. */
const MAX_WAIT_MS = 50;

/** Reads and loads what the first screen shows. Without waiting for it, React would draw the screen twice, first with placeholders. */
export async function preloadScreen(): Promise<void> {
  const conversationId = selected();
  const reads = [queryClient.prefetchInfiniteQuery(conversationsQuery())];
  if (conversationId !== null && !isNewChat(conversationId))
    reads.push(queryClient.prefetchQuery(messagesQuery(conversationId)), preloadReplies());
  await Promise.race([Promise.all(reads), pause(MAX_WAIT_MS)]);
}
