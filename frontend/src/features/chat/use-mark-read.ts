import type { Conversation } from '@stolas/backend/contract';
import { useEffect } from 'react';
import { markConversationRead } from './api.ts';
import { useConversationPart } from './use-conversation.ts';

/** Marks an open conversation as read, as soon as the tab is visible; the event of it takes the dot away in all tabs. */
export function useMarkRead(conversationId: string | null): void {
  const { id, updatedAt } = useConversationPart(conversationId, newMessageOf) ?? {};
  useEffect(() => {
    if (!id) return undefined;
    const mark = () => {
      if (document.visibilityState !== 'visible') return;
      document.removeEventListener('visibilitychange', mark);
      // The dot stays, and the next message or opening tries again.
      markConversationRead(id).catch(() => undefined);
    };
    document.addEventListener('visibilitychange', mark);
    mark();
    return () => document.removeEventListener('visibilitychange', mark);
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- again for each message
  }, [id, updatedAt]);
}

/** What changes with each message that the user has not read. */
const newMessageOf = ({ id, updatedAt, shared }: Conversation) =>
  shared?.unread || shared?.mentioned ? { id, updatedAt } : undefined;
