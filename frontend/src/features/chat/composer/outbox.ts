import { create } from 'zustand';

/** A message that is being sent: shown at once, removed when the server has accepted or refused it. */
export interface PendingSend {
  clientMessageId: string;
  content: string;
  /** ISO 8601, by this device's clock. */
  createdAt: string;
}

/** By conversation. At most one each: the composer is disabled until it has ended. */
export const useOutbox = create<{ pending: Readonly<Record<string, PendingSend>> }>(() => ({
  pending: {},
}));

export function setPending(conversationId: string, send: PendingSend): void {
  useOutbox.setState(({ pending }) => ({ pending: { ...pending, [conversationId]: send } }));
}

/** @returns whether that send was still pending. */
export function endPending(conversationId: string, clientMessageId: string | undefined): boolean {
  const { pending } = useOutbox.getState();
  const { [conversationId]: send, ...others } = pending;
  if (!send || send.clientMessageId !== clientMessageId) return false;
  useOutbox.setState({ pending: others });
  return true;
}

export const usePending = (conversationId: string): PendingSend | undefined =>
  useOutbox(({ pending }) => pending[conversationId]);
