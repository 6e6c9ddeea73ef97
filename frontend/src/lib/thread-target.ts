import { create } from 'zustand';

/** A message of the open conversation that is to be shown; another object each time it is asked for. */
export interface ThreadTarget {
  messageId: string;
  /** Selects the part of the message to show; without it, or without a match, the whole message is shown. */
  within?: string;
  /** Whether the focus stays where it is instead of moving there. */
  keepsFocus?: boolean;
}

const useStore = create<{ target: ThreadTarget | null }>(() => ({ target: null }));

export const useThreadTarget = (): ThreadTarget | null => useStore(({ target }) => target);

/** Shows a message of the open conversation, or a place in it; the address stays. */
export const showInThread = (target: ThreadTarget): void =>
  useStore.setState({ target: { ...target } });

/** Call it when another conversation or another target is shown. */
export const clearThreadTarget = (): void => useStore.setState({ target: null });

/** The element of a message that has its row in the list. */
export const messageOf = (messageId: string): HTMLElement | null =>
  document.querySelector(`[data-message-id="${CSS.escape(messageId)}"]`);
