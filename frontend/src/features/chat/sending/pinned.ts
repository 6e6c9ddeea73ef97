import { create } from 'zustand';

/** The message at the top of the view since it was sent; another object each time. */
export interface Pinned {
  /** The key of its row in the thread: the message's `clientMessageId`, else its id. */
  key: string;
}

const useStore = create<{ pinned: Pinned | null }>(() => ({ pinned: null }));

export const usePinned = (): Pinned | null => useStore(({ pinned }) => pinned);

/** Call it when this tab sends a message or asks for another reply to it, also before its row is there. */
export const pinMessage = (key: string): void => useStore.setState({ pinned: { key } });

/** Call it when the thread is left: one that is opened again shows its end. */
export const unpinMessage = (): void => useStore.setState({ pinned: null });
