import { useMemo } from 'react';
import { navigate } from 'wouter/use-browser-location';
import { create } from 'zustand';
import { useSearchParam } from '../../../lib/search-params.ts';
import {
  clearThreadTarget,
  type ThreadTarget,
  useThreadTarget,
} from '../../../lib/thread-target.ts';
import { addressOf } from '../selection.ts';

export const messageAddress = (conversationId: string, messageId: string): string =>
  `${addressOf(conversationId)}&m=${encodeURIComponent(messageId)}`;

/** Counts the requests for a message, also at an address that is open already. */
const useRequests = create<{ count: number }>(() => ({ count: 0 }));

/** Call it when a link to a message is followed. */
export function requestTarget(): void {
  clearThreadTarget();
  useRequests.setState(({ count }) => ({ count: count + 1 }));
}

export function showMessage(conversationId: string, messageId: string): void {
  navigate(messageAddress(conversationId, messageId));
  requestTarget();
}

/** The message that is to be shown, else the one that the address names. */
export function useTarget(): ThreadTarget | null {
  const asked = useThreadTarget();
  const messageId = useSearchParam('m');
  const count = useRequests((requests) => requests.count);
  // oxlint-disable-next-line react/exhaustive-deps -- another request is another target
  const named = useMemo(() => (messageId ? { messageId } : null), [messageId, count]);
  return asked ?? named;
}
