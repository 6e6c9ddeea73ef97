import { useSyncExternalStore } from 'react';
import { createStore } from 'zustand/vanilla';
import type { ReplyView } from './reply-reducer.ts';

export type ConnectionState = 'connecting' | 'connected' | 'disconnected';

interface LiveState {
  connection: ConnectionState;
  /** Replies that are being generated or were while this tab looked. Their text lives here, so that a frame never touches the list of messages. */
  views: Readonly<Record<string, ReplyView>>;
  /** Replies that were polled for the full time without any news. */
  stalled: Readonly<Record<string, true>>;
}

const EMPTY: LiveState = { connection: 'connecting', views: {}, stalled: {} };

export const liveStore = createStore<LiveState>(() => EMPTY);

export const viewOf = (replyId: string): ReplyView | undefined =>
  liveStore.getState().views[replyId];

export function setView(replyId: string, view: ReplyView): void {
  liveStore.setState(({ views }) => ({ views: { ...views, [replyId]: view } }));
}

export function dropView(replyId: string): void {
  liveStore.setState((state) =>
    replyId in state.views
      ? { views: without(state.views, replyId), stalled: without(state.stalled, replyId) }
      : state,
  );
}

export function setStalled(replyId: string, stalled: boolean): void {
  liveStore.setState((state) => {
    if (stalled === (state.stalled[replyId] ?? false)) return state;
    const rest = without(state.stalled, replyId);
    return { stalled: stalled ? { ...rest, [replyId]: true as const } : rest };
  });
}

export function resetLiveStore(): void {
  liveStore.setState(EMPTY, true);
}

const never = () => () => {};

/**
 * The live text and state of a reply; undefined when nothing of it is live. With `null` the component does not even
 * subscribe: a frame must not cost anything per message of the history.
 */
export function useReplyView(replyId: string | null): ReplyView | undefined {
  return useSyncExternalStore(replyId ? liveStore.subscribe : never, () =>
    replyId ? viewOf(replyId) : undefined,
  );
}

export const useStalled = (replyId: string): boolean =>
  useSyncExternalStore(liveStore.subscribe, () => liveStore.getState().stalled[replyId] ?? false);

export const useConnection = (): ConnectionState =>
  useSyncExternalStore(liveStore.subscribe, () => liveStore.getState().connection);

function without<T>(record: Readonly<Record<string, T>>, key: string) {
  if (!(key in record)) return record;
  const { [key]: _dropped, ...rest } = record;
  return rest;
}
