import { type RefObject, useEffect } from 'react';
import { useVisits } from '../place.ts';

/**
 * Scrolls the marked passage to the upper third of the view: when it appears, and at every later visit.
 * @param content what is shown; another one may have another passage
 */
export function useMarkInView(
  scroller: RefObject<HTMLElement | null>,
  mark: RefObject<HTMLElement | null>,
  content: unknown,
): void {
  const { count } = useVisits();
  // oxlint-disable-next-line react/exhaustive-effect-dependencies -- every visit scrolls, and every other content
  useEffect(() => {
    const box = scroller.current;
    if (!box) return;
    const passage = mark.current?.getBoundingClientRect();
    if (!passage) {
      box.scrollTop = 0;
      return;
    }
    const view = box.getBoundingClientRect();
    box.scrollTop += passage.top - view.top - view.height / 3;
    if (passage.left < view.left || passage.right > view.right) {
      box.scrollLeft += passage.left - view.left - view.width / 3;
    }
  }, [scroller, mark, content, count]);
}
