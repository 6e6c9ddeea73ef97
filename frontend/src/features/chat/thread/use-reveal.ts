import { useEffect, useLayoutEffect, useState, useSyncExternalStore } from 'react';
import { Reveal, type RevealTarget } from './reveal.ts';

const isAnimated = (): boolean =>
  !document.hidden && !window.matchMedia('(prefers-reduced-motion: reduce)').matches;

/**
 * The part of a reply's text to show now. A null target means that the text is not known at the moment; what is shown
 * stays until it is.
 */
export function useReveal(target: RevealTarget | null): string {
  const [reveal] = useState(
    () => new Reveal(target ?? { text: '', attempt: 0, ended: false }, { isAnimated }),
  );
  const { text, attempt, ended } = target ?? {};

  useLayoutEffect(() => {
    if (text !== undefined && attempt !== undefined) {
      reveal.aim({ text, attempt, ended: ended ?? false });
    }
  }, [reveal, text, attempt, ended]);
  useEffect(() => () => reveal.stop(), [reveal]);

  return useSyncExternalStore(reveal.subscribe, reveal.shown);
}
