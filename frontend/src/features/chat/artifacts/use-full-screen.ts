import { useEffect, useState } from 'react';

/**
 * Whether the panel covers the screen. The whole page goes to full screen, so that tooltips and notices are seen, and the
 * browser's own Escape ends it also while the focus is in the frame. Where the browser has no full screen, it covers the page.
 */
export function useFullScreen(): { isFull: boolean; enter: () => void; leave: () => void } {
  const [isFull, setFull] = useState(false);
  useEffect(() => {
    if (!isFull) return undefined;
    const onChange = () => setFull(document.fullscreenElement !== null);
    document.addEventListener('fullscreenchange', onChange);
    return () => {
      document.removeEventListener('fullscreenchange', onChange);
      if (document.fullscreenElement) void document.exitFullscreen().catch(() => undefined);
    };
  }, [isFull]);
  return {
    isFull,
    enter: () => {
      setFull(true);
      document.documentElement.requestFullscreen?.().catch(() => undefined);
    },
    leave: () => setFull(false),
  };
}
