import { t as common } from 'virtual:texts/app';
import { t as chat } from 'virtual:texts/chat';
import { t } from 'virtual:texts/conversationActions';
import type { Conversation } from '@stolas/backend/contract';
import { userMessageOf } from '../../../lib/api.ts';
import { queryClient } from '../../../lib/query-client.ts';
import { cachedConversation, upsertConversation } from '../../../realtime/index.ts';
import { toastError } from '../../../ui/toast-store.ts';
import { updateConversation } from '../api.ts';

/** Shows the new title at once; the former one comes back with a notice when the server does not accept it. */
export async function renameConversation(conversation: Conversation, title: string): Promise<void> {
  const { id, title: former } = conversation;
  if (title === former) return;
  retitle(id, { from: former, to: title });
  try {
    upsertConversation(queryClient, await updateConversation(id, { title }));
  } catch (error) {
    retitle(id, { from: title, to: former });
    toastError(t('renameFailed'), userMessageOf(error, chat('checkConnection')), {
      action: {
        label: common('tryAgain'),
        onSelect: () => void renameConversation(conversation, title),
      },
    });
  }
}

/** Has no effect when another tab has renamed or deleted the conversation meanwhile. */
function retitle(id: string, { from, to }: { from: string; to: string }): void {
  const current = cachedConversation(queryClient, id);
  if (current?.title === from) upsertConversation(queryClient, { ...current, title: to });
}
