import type { MessageFile, PanelChoice, SendMessageBody } from '@stolas/backend/contract';
import { create } from 'zustand';
import type { NewChoices } from './choices.ts';

/** A message that is being sent: shown at once, removed when the server has accepted or refused it. */
export interface PendingSend {
  clientMessageId: string;
  content: string;
  files?: readonly MessageFile[];
  pastes?: SendMessageBody['pastes'];
  /** Of a message that begins a conversation. */
  choices?: NewChoices;
  /** Of the first message of a conversation; left out, no persona. */
  personaId?: string;
  panel?: PanelChoice;
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

/** The conversations whose message is sent as soon as its files are uploaded. */
const useWaiting = create<Readonly<Record<string, true>>>(() => ({}));

export const useIsWaiting = (conversationId: string): boolean =>
  useWaiting((waiting) => waiting[conversationId] === true);

export const isWaiting = (conversationId: string): boolean =>
  useWaiting.getState()[conversationId] === true;

export const startWaiting = (conversationId: string): void =>
  useWaiting.setState({ [conversationId]: true });

export const endWaiting = (conversationId: string): void =>
  useWaiting.setState(({ [conversationId]: _ended, ...others }) => others, true);
