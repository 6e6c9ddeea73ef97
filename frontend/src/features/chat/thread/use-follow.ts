import { type RefCallback, useCallback, useLayoutEffect, useRef, useState } from 'react';
import type { ReadingPlace } from './reading-place.ts';

/** Positions this close to the end count as the end. */
const NEAR_PX = 24;
const UPWARD_KEYS = new Set(['ArrowUp', 'PageUp', 'Home']);

interface Follow {
  /** The element that scrolls; null until it is mounted. */
  scroller: HTMLDivElement | null;
  scrollerRef: RefCallback<HTMLDivElement>;
  contentRef: RefCallback<HTMLDivElement>;
  /** Whether the end is in view or kept there. */
  atEnd: boolean;
  toEnd: () => void;
  /** Follows no longer: another place is shown. */
  letGo: () => void;
}

/**
 * Keeps the end of a growing content in view. Only the user stops it, by wheel, touch, key, scroll bar or focus: the scroll
 * position alone also changes when content is replaced. Reaching the end starts it again.
 */
export function useFollow(): Follow {
  const [scroller, scrollerRef] = useState<HTMLDivElement | null>(null);
  const [content, contentRef] = useState<HTMLDivElement | null>(null);
  const following = useRef(true);
  const [atEnd, setAtEnd] = useState(true);

  const toEnd = useCallback(() => {
    following.current = true;
    setAtEnd(true);
    scroller?.scrollTo({ top: scroller.scrollHeight });
  }, [scroller]);

  const letGo = useCallback(() => {
    following.current = false;
    setAtEnd(scroller !== null && isNearEnd(scroller));
  }, [scroller]);

  useLayoutEffect(() => {
    const box = scroller;
    if (!box || !content) return undefined;
    let lastTop = 0;
    let lastWidth = box.clientWidth;
    const place = lazyReadingPlace(box);
    const isNear = () => isNearEnd(box);
    const stay = () => {
      const end = box.scrollHeight - box.clientHeight;
      // Fractions: the last position may lie up to a pixel above the end.
      if (following.current && end - box.scrollTop > 1) box.scrollTo({ top: end });
      setAtEnd(following.current || isNear());
      lastTop = box.scrollTop;
    };
    const letGo = () => {
      if (box.scrollTop > 0) following.current = false;
    };
    const onScroll = () => {
      const wentDown = box.scrollTop > lastTop;
      lastTop = box.scrollTop;
      if (!following.current && wentDown && isNear()) following.current = true;
      if (!following.current) place.onScroll();
      setAtEnd(following.current || isNear());
    };
    const onSize = () => {
      if (!following.current && box.clientWidth !== lastWidth) place.keep();
      lastWidth = box.clientWidth;
      stay();
    };
    const stop = listenForLettingGo(box, letGo);
    // New text is followed before the frame; following it by its size alone costs a second frame.
    const drawings = new MutationObserver(stay);
    drawings.observe(content, { childList: true, subtree: true, characterData: true });
    const sizes = new ResizeObserver(onSize);
    sizes.observe(box);
    sizes.observe(content);
    box.addEventListener('scroll', onScroll, { passive: true });
    stay();
    return () => {
      stop();
      place.stop();
      drawings.disconnect();
      sizes.disconnect();
      box.removeEventListener('scroll', onScroll);
    };
  }, [scroller, content]);

  return { scroller, scrollerRef, contentRef, atEnd, toEnd, letGo };
}

/** The code is loaded when the reader leaves the end: before that there is no position to keep. */
function lazyReadingPlace(box: HTMLElement): ReadingPlace {
  let place: ReadingPlace | undefined;
  let loading: Promise<void> | undefined;
  let isStopped = false;
  const load = async () => {
    const { createReadingPlace } = await import('./reading-place.ts');
    if (isStopped) return;
    place = createReadingPlace(box);
    place.onScroll();
  };
  return {
    onScroll: () => {
      if (place) place.onScroll();
      else loading ??= load().catch(() => undefined);
    },
    keep: () => place?.keep(),
    stop: () => {
      isStopped = true;
      place?.stop();
    },
  };
}

const isNearEnd = (box: HTMLElement): boolean =>
  box.scrollHeight - box.scrollTop - box.clientHeight <= NEAR_PX;

/** Calls back when the user scrolls up. @returns a function that ends it. */
function listenForLettingGo(box: HTMLElement, letGo: () => void): () => void {
  const ending = new AbortController();
  const options = { passive: true, signal: ending.signal };
  let touchedAt = 0;
  const onWheel = (event: WheelEvent) => {
    if (event.deltaY < 0) letGo();
  };
  const onTouchStart = ({ touches }: TouchEvent) => {
    touchedAt = touches[0]?.clientY ?? 0;
  };
  const onTouchMove = ({ touches }: TouchEvent) => {
    const y = touches[0]?.clientY ?? 0;
    if (y > touchedAt) letGo();
    touchedAt = y;
  };
  const onKeyDown = ({ key, target }: KeyboardEvent) => {
    const isTyping = target instanceof HTMLElement && target.closest('input, textarea') !== null;
    if (UPWARD_KEYS.has(key) && !isTyping) letGo();
  };
  const onPointerDown = (event: PointerEvent) => {
    const isOnScrollBar = event.target === box && event.offsetX >= box.clientWidth;
    if (isOnScrollBar) letGo();
  };
  const onFocusIn = ({ target }: FocusEvent) => {
    if (!(target instanceof HTMLElement)) return;
    const above = box.getBoundingClientRect().top - target.getBoundingClientRect().top;
    const fromEnd = box.scrollHeight - box.scrollTop + above;
    // An editor stays in view while it grows, and so does what the Tab key reaches above the last screen.
    if (target.tagName === 'TEXTAREA' || fromEnd > box.clientHeight) letGo();
  };
  box.addEventListener('wheel', onWheel, options);
  box.addEventListener('touchstart', onTouchStart, options);
  box.addEventListener('touchmove', onTouchMove, options);
  box.addEventListener('keydown', onKeyDown, options);
  box.addEventListener('pointerdown', onPointerDown, options);
  box.addEventListener('focusin', onFocusIn, options);
  return () => ending.abort();
}
