import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';

/** So close to the end counts as being there. */
const NEAR_PX = 24;

interface Stick {
  scroller: RefObject<HTMLDivElement | null>;
  content: RefObject<HTMLDivElement | null>;
  /** Whether the reader is at the end and is kept there. */
  atEnd: boolean;
  toEnd: () => void;
}

/**
 * Keeps the end of a growing content in view for a reader who is there. Scrolling up, by however little, lets go at once;
 * reaching the end again takes hold again.
 */
export function useStick(): Stick {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const held = useRef(true);
  const [atEnd, setAtEnd] = useState(true);

  const toEnd = useCallback(() => {
    held.current = true;
    setAtEnd(true);
    scroller.current?.scrollTo({ top: scroller.current.scrollHeight });
  }, []);

  useEffect(() => {
    const box = scroller.current;
    if (!box || !content.current) return undefined;
    let last = { top: box.scrollTop, height: box.scrollHeight };
    const onScroll = () => {
      const { scrollTop: top, scrollHeight: height, clientHeight } = box;
      // Content that shrinks moves the view up too; only a move that the content does not explain is the reader's.
      const wentUp = top < last.top && height >= last.height;
      const near = height - top - clientHeight <= NEAR_PX;
      held.current = near && !(wentUp && height - top - clientHeight > 1);
      last = { top, height };
      setAtEnd(held.current || near);
    };
    const follow = () => {
      if (held.current) box.scrollTop = box.scrollHeight;
    };
    const sizes = new ResizeObserver(follow);
    sizes.observe(box);
    sizes.observe(content.current);
    box.addEventListener('scroll', onScroll, { passive: true });
    follow();
    return () => {
      sizes.disconnect();
      box.removeEventListener('scroll', onScroll);
    };
  }, []);

  return { scroller, content, atEnd, toEnd };
}
