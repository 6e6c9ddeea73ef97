import { useEffect } from 'react';
import { flushSync } from 'react-dom';
import { create } from 'zustand';

interface Printing {
  /** The thread mounts every message that is loaded, and not only those in and near the view. */
  isPrinting: boolean;
  /** Diagrams are drawn in light colours. The browser's own print command leaves no time for it. */
  isPrepared: boolean;
}

export const usePrinting = create<Printing>(() => ({ isPrinting: false, isPrepared: false }));

const setPrinting = (isPrinting: boolean): void => usePrinting.setState({ isPrinting });

/**
 * The browser prints what the page is when this returns, so that its own print command prints the messages that are loaded.
 * The product's own Print loads the others first (features/chat/export/print-conversation.ts).
 */
export function usePrintEvents(): void {
  useEffect(() => {
    const onBefore = () => flushSync(() => setPrinting(true));
    const onAfter = () => setPrinting(false);
    window.addEventListener('beforeprint', onBefore);
    window.addEventListener('afterprint', onAfter);
    return () => {
      window.removeEventListener('beforeprint', onBefore);
      window.removeEventListener('afterprint', onAfter);
      onAfter();
    };
  }, []);
}
