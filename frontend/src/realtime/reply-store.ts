import { useSyncExternalStore } from 'react';
import type { ReplyView } from './reply-reducer.ts';

/** `polling`: there is no socket, but the server answers. */
export type ConnectionState = 'connecting' | 'connected' | 'disconnected' | 'polling';

type Listener = () => void;

// Replies that are being generated, or were while this tab was open. Their text is kept here, so that a delta changes
// neither the list of messages nor the other replies.
const views = new Map<string, ReplyView>();
/** Replies that were polled for the full time without any news. */
const stalled = new Set<string>();
const replyListeners = new Map<string, Set<Listener>>();
const connectionListeners = new Set<Listener>();
let connection: ConnectionState = 'connecting';

export const viewOf = (replyId: string): ReplyView | undefined => views.get(replyId);

export const viewIds = (): readonly string[] => [...views.keys()];

export function setView(replyId: string, view: ReplyView): void {
  if (views.get(replyId) === view) return;
  views.set(replyId, view);
  notify(replyId);
}

export function dropView(replyId: string): void {
  const dropped = views.delete(replyId);
  if (stalled.delete(replyId) || dropped) notify(replyId);
}

export const isStalled = (replyId: string): boolean => stalled.has(replyId);

export function setStalled(replyId: string, value: boolean): void {
  if (value === stalled.has(replyId)) return;
  if (value) stalled.add(replyId);
  else stalled.delete(replyId);
  notify(replyId);
}

export const connectionState = (): ConnectionState => connection;

export function setConnection(next: ConnectionState): void {
  if (next === connection) return;
  connection = next;
  for (const listener of connectionListeners) listener();
}

export function resetLiveStore(): void {
  for (const replyId of new Set([...views.keys(), ...stalled])) dropView(replyId);
  setConnection('connecting');
}

/** Calls back when the view or the stall of one reply changes. @returns a function that ends it. */
export function subscribeReply(replyId: string, listener: Listener): () => void {
  const listeners = replyListeners.get(replyId) ?? new Set();
  replyListeners.set(replyId, listeners.add(listener));
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0 && replyListeners.get(replyId) === listeners) {
      replyListeners.delete(replyId);
    }
  };
}

export const useStalled = (replyId: string): boolean =>
  useSyncExternalStore(
    (listener) => subscribeReply(replyId, listener),
    () => isStalled(replyId),
  );

export const useConnection = (): ConnectionState =>
  useSyncExternalStore(subscribeConnection, connectionState);

function subscribeConnection(listener: Listener): () => void {
  connectionListeners.add(listener);
  return () => connectionListeners.delete(listener);
}

function notify(replyId: string): void {
  for (const listener of replyListeners.get(replyId) ?? []) listener();
}
