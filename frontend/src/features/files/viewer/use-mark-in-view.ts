import { type RefObject, useEffect } from 'react';
import { useVisits } from '../place.ts';

/**
 * Scrolls the marked passage to the upper third of the view: when it appears, and at every later visit.
 * @param content names what is shown; another content may have another passage
 */
export function useMarkInView(
  scroller: RefObject<HTMLElement | null>,
  mark: RefObject<HTMLElement | null>,
  content: string,
): void {
  const { count } = useVisits();
  const visit = `${count} ${content}`;
  useEffect(() => {
    if (scroller.current && visit !== '') scrollTo(scroller.current, mark.current);
  }, [scroller, mark, visit]);
}

function scrollTo(box: HTMLElement, mark: HTMLElement | null): void {
  const passage = mark?.getBoundingClientRect();
  if (!passage) {
    box.scrollTop = 0;
    return;
  }
  const view = box.getBoundingClientRect();
  box.scrollTop += passage.top - view.top - view.height / 3;
  if (passage.left < view.left || passage.right > view.right) {
    box.scrollLeft += passage.left - view.left - view.width / 3;
  }
}
