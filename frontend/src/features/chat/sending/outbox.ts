import type { MessageFile, PanelChoice, SendMessageBody } from '@stolas/backend/contract';
import { useMemo } from 'react';
import { create } from 'zustand';
import { parseJson, readItems, removeItem, writeItem } from '../../../lib/storage.ts';
import type { NewChoices } from './choices.ts';
import type { SendProblem } from './send-errors.ts';

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

/** A message that waits in this browser until the server can be reached. It survives a reload. */
export interface UnsentMessage extends PendingSend {
  /** Of its conversation; of one that is not created yet, the id that this browser gave it. */
  conversationId: string;
  /** The time since which the result of a send is unknown, in ms of the epoch. */
  unconfirmedSince?: number;
  /** The reason of the server's refusal. A refused message is not sent again by itself. */
  problem?: SendProblem;
}

interface State {
  messages: readonly UnsentMessage[];
  /** The one that is being sent by this tab. */
  sending: string | undefined;
  /** The conversations that other tabs have created, by the ids that this browser gave them. */
  created: Readonly<Record<string, string>>;
}

/**
 * The messages of the user on the screen. Each has a separate item in storage, so that tabs do not overwrite each
 * other's changes.
 */
const useStore = create<State>(() => ({ messages: [], sending: undefined, created: {} }));

const prefixOf = (userId: string) => `unsent:${userId}:`;

/** In the order in which they were sent, by all tabs of this browser. */
export const readUnsent = (userId: string): UnsentMessage[] =>
  readItems(prefixOf(userId))
    .flatMap(parse)
    .toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : 1));

function parse(stored: string | null): UnsentMessage[] {
  const value = parseJson(stored) as Partial<UnsentMessage> | null | undefined;
  return value?.clientMessageId && value.conversationId ? [value as UnsentMessage] : [];
}

const refresh = (userId: string) => useStore.setState({ messages: readUnsent(userId) });

export function putUnsent(userId: string, message: UnsentMessage): void {
  writeItem(prefixOf(userId) + message.clientMessageId, JSON.stringify(message));
  refresh(userId);
}

/** Stores a message below those that wait, also when the clock was set back since they were sent. */
export function addUnsent(userId: string, message: UnsentMessage): void {
  const last = readUnsent(userId).at(-1)?.createdAt;
  const isEarlier = last !== undefined && message.createdAt <= last;
  const createdAt = isEarlier ? new Date(Date.parse(last) + 1).toISOString() : message.createdAt;
  putUnsent(userId, { ...message, createdAt });
}

export function removeUnsent(userId: string, clientMessageId: string): void {
  removeItem(prefixOf(userId) + clientMessageId);
  refresh(userId);
}

export const markSending = (clientMessageId: string | undefined): void =>
  useStore.setState({ sending: clientMessageId });

/** Shows the unsent messages of a user, whichever tab changes them. @returns a function that ends it. */
export function followUnsent(userId: string): () => void {
  refresh(userId);
  const onStorage = ({ key, oldValue, newValue }: StorageEvent) => {
    if (key !== null && !key.startsWith(prefixOf(userId))) return;
    noteCreated(oldValue, newValue);
    refresh(userId);
  };
  window.addEventListener('storage', onStorage);
  return () => window.removeEventListener('storage', onStorage);
}

/** The storage may have more changes by now: only the event tells that a message has moved before it was removed. */
function noteCreated(oldValue: string | null, newValue: string | null): void {
  const [before] = parse(oldValue);
  const [after] = parse(newValue);
  if (!before || !after || before.conversationId === after.conversationId) return;
  const moved = { [before.conversationId]: after.conversationId };
  useStore.setState(({ created }) => ({ created: { ...created, ...moved } }));
}

/** The conversation that another tab has created from one that had only the id of this browser. */
export const createdFrom = (conversationId: string): string | undefined =>
  useStore.getState().created[conversationId];

export const hasUnsent = (conversationId: string): boolean =>
  useStore.getState().messages.some((message) => message.conversationId === conversationId);

export const useAllUnsent = (): readonly UnsentMessage[] => useStore(({ messages }) => messages);

/** The unsent messages of a conversation, in their order. */
export function useUnsent(conversationId: string): readonly UnsentMessage[] {
  const messages = useAllUnsent();
  return useMemo(
    () => messages.filter((message) => message.conversationId === conversationId),
    [messages, conversationId],
  );
}

export const useIsSending = (clientMessageId: string): boolean =>
  useStore(({ sending }) => sending === clientMessageId);
