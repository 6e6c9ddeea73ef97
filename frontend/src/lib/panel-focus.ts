/** The focus of a panel that opens beside the page: it moves there, and back when the panel closes. */
export interface PanelFocus {
  /** Call it before the panel opens: the focus returns to where it is now. */
  leave: () => void;
  /** Whether the panel has to take the focus: once after it was opened, never after a page was loaded with it. */
  take: () => boolean;
  /** Call it when the panel has closed. */
  giveBack: () => void;
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
      return wasWanted;
    },
    giveBack: () => {
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
      opener = null;
    },
  };
}
