import { useEffect } from 'react';
import { flushSync } from 'react-dom';
import { create } from 'zustand';

/** While it prints, the thread mounts every message that is loaded, and not only those in and near the view. */
export const usePrinting = create<{ isPrinting: boolean }>(() => ({ isPrinting: false }));

const setPrinting = (isPrinting: boolean): void => usePrinting.setState({ isPrinting });

/**
 * The browser prints what the page is when this returns, so that its own print command prints the messages that are loaded.
 * `print-conversation.ts` loads the others first.
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
