import { type CSSProperties, useLayoutEffect, useState } from 'react';
import { useNoticeAnchor } from './toast-store.ts';

/** Distance of a notice from the composer, and from the edge of a page without one. */
const GAP_PX = 12;
/** Distance of an error from the bar below which it stands. */
const BAR_GAP_PX = 8;

/** The place of a notice: 12 px above the composer; on a page without one, at the bottom. */
export function useAboveComposer(): CSSProperties {
  const composer = useNoticeAnchor((anchor) => anchor.composer);
  const box = useBox(composer);
  if (!box) return { bottom: `calc(${GAP_PX}px + env(safe-area-inset-bottom))` };
  return { left: box.left, width: box.width, bottom: window.innerHeight - box.top + GAP_PX };
}

/** The bar of a chat on a wide page has no controls at its end. */
const WIDE_PX = 768;

/**
 * The place of an error: at the right, below the bar with the controls of the page. One that lasts stands in the bar of a
 * wide chat, where it covers no text.
 */
export function useTopRight({ isLasting }: { isLasting: boolean }): CSSProperties {
  const isChat = useNoticeAnchor((anchor) => anchor.composer !== null);
  const bar = useNoticeAnchor((anchor) => anchor.bar);
  const box = useBox(bar);
  if (!box) return {};
  const isInBar = isLasting && isChat && window.innerWidth >= WIDE_PX;
  return {
    top: isInBar ? box.top + BAR_GAP_PX : Math.max(0, box.bottom) + BAR_GAP_PX,
    right: document.documentElement.clientWidth - box.right,
  };
}

/** Where an element stands in the window; follows its size, that of its parent, and the window. */
function useBox(element: HTMLElement | null): DOMRect | undefined {
  const [box, setBox] = useState<DOMRect>();
  useLayoutEffect(() => {
    if (!element) return undefined;
    const measure = () => setBox(element.getBoundingClientRect());
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    if (element.parentElement) observer.observe(element.parentElement);
    window.addEventListener('resize', measure);
    return () => {
      observer.disconnect();
      window.removeEventListener('resize', measure);
    };
  }, [element]);
  return element ? box : undefined;
}
