import { flushSync } from 'react-dom';

/** The focus of a panel that opens beside the page: it moves to the panel, and back when the panel closes. */
export interface PanelFocus {
  /** Call it before the panel opens: closing returns the focus to the element that has it now. */
  leave: () => void;
  /**
   * Whether the panel has to take the focus: once after it was opened, never after a page was loaded with it, and not from a field
   * that the user has begun to fill in while the panel was loaded.
   */
  take: () => boolean;
  /** Removes the panel by `hide`, then returns the focus. @returns whether it was returned */
  close: (hide: () => void) => boolean;
  /** Call it when the panel opens by itself: closing does not move the focus. */
  forget: () => void;
}

export function createPanelFocus(): PanelFocus {
  let opener: Element | null = null;
  let isWanted = false;
  return {
    leave: () => {
      opener = document.activeElement;
      isWanted = true;
    },
    take: () => {
      const wasWanted = isWanted;
      isWanted = false;
      const active = document.activeElement;
      return wasWanted && (active === opener || !active?.matches('input, textarea'));
    },
    close: (hide) => {
      // Until it is removed, a panel that covers the page takes the focus back, or nothing else can have it.
      flushSync(hide);
      const target = opener instanceof HTMLElement && opener.isConnected ? opener : null;
      target?.focus();
      opener = null;
      return target !== null;
    },
    forget: () => {
      opener = null;
    },
  };
}
