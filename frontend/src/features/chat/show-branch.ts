import { queryClient } from '../../lib/query-client.ts';
import { messagesKey, upsertConversation } from '../../realtime/index.ts';
import { updateConversation } from './api.ts';

/** Shows the user the newest branch below a message, in all tabs. `onChosen` is called before it is on screen. */
export async function showBranch(
  conversationId: string,
  messageId: string,
  onChosen?: () => void,
): Promise<void> {
  const conversation = await updateConversation(conversationId, { activeLeafId: messageId });
  onChosen?.();
  upsertConversation(queryClient, conversation);
  await queryClient.invalidateQueries({ queryKey: messagesKey(conversationId) });
}
