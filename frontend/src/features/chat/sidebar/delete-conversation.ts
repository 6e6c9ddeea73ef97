import { t as common } from 'virtual:texts/app';
import { t as chat } from 'virtual:texts/chat';
import { t } from 'virtual:texts/conversationActions';
import type { Conversation } from '@stolas/backend/contract';
import { navigate } from 'wouter/use-browser-location';
import { ignoreGone, isGone, userMessageOf } from '../../../lib/api.ts';
import { queryClient } from '../../../lib/query-client.ts';
import { removeConversation, upsertConversation } from '../../../realtime/index.ts';
import { dismissToast, toast, toastError } from '../../../ui/toast-store.ts';
import * as api from '../api.ts';
import { select, selected } from '../selection.ts';

/** The server undoes a deletion for this long. */
const UNDO_MS = 5000;

/** Removes the conversation from the list at once, and offers to undo that. */
export async function deleteConversation(conversation: Conversation): Promise<void> {
  const { id } = conversation;
  const wasOpen = selected() === id;
  const bringBack = (restored: Conversation) => {
    upsertConversation(queryClient, restored);
    if (wasOpen) select(id);
  };

  removeConversation(queryClient, id);
  if (wasOpen) navigate('/', { replace: true });
  const deleted = api.deleteConversation(id).catch(ignoreGone);
  const notice = toast({
    title: t('deleted'),
    duration: UNDO_MS,
    action: { label: common('undo'), onSelect: () => void undo() },
  });

  const undo = async () => {
    // A deletion that failed has brought the conversation back.
    const isDeleted = await deleted.then(() => true).catch(() => false);
    if (isDeleted) await restore(id, bringBack);
  };

  await deleted.catch((error: unknown) => {
    dismissToast(notice);
    bringBack(conversation);
    toastError(t('deleteFailed'), userMessageOf(error, chat('checkConnection')), {
      action: { label: common('tryAgain'), onSelect: () => void deleteConversation(conversation) },
    });
  });
}

async function restore(id: string, onRestored: (conversation: Conversation) => void) {
  try {
    onRestored(await api.restoreConversation(id));
  } catch (error) {
    if (isGone(error)) {
      toastError(t('tooLateTitle'), t('tooLateText'));
      return;
    }
    toastError(t('restoreFailed'), userMessageOf(error, chat('checkConnection')), {
      action: { label: common('tryAgain'), onSelect: () => void restore(id, onRestored) },
    });
  }
}
