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
    const box = scroller.current;
    if (box) box.scrollTop = box.scrollHeight;
  }, []);

  useEffect(() => {
    const box = scroller.current;
    if (!box || !content.current) return undefined;
    let last = { top: 0, height: 0 };
    const isNear = () => box.scrollHeight - box.scrollTop - box.clientHeight <= NEAR_PX;
    const note = () => {
      last = { top: box.scrollTop, height: box.scrollHeight };
      setAtEnd(held.current || isNear());
    };
    const onScroll = () => {
      // Being far from the end means nothing: the content may have grown since the last look. Content that shrinks moves
      // the view up too. Only going up while it does not shrink is the reader's doing.
      const wentUp = box.scrollTop < last.top && box.scrollHeight >= last.height;
      if (wentUp) held.current = false;
      else if (isNear()) held.current = true;
      note();
    };
    const follow = () => {
      if (held.current) box.scrollTop = box.scrollHeight;
      note();
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
