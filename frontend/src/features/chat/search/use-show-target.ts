import { useEffect, useEffectEvent, useState } from 'react';
import type { Target } from './target.ts';

/** How long the message is marked; the mark fades in this time, without reduced motion. */
const MARK_MS = 2_400;

interface ShowTargetOptions {
  target: Target | null;
  onTarget: () => void;
  scrollTo: (messageId: string) => void;
}

/**
 * Scrolls to the message that the address names and moves the focus to it.
 * @returns the id of the message while it is marked
 */
export function useShowTarget({ target, onTarget, scrollTo }: ShowTargetOptions): string | null {
  const [ended, setEnded] = useState<Target | null>(null);
  const show = useEffectEvent(({ messageId }: Target) => {
    onTarget();
    scrollTo(messageId);
  });
  useEffect(() => {
    if (!target) return undefined;
    show(target);
    // The row is mounted some frames later, when the list has been scrolled there.
    let frame = requestAnimationFrame(function focus() {
      const message = document.querySelector<HTMLElement>(
        `[data-message-id="${CSS.escape(target.messageId)}"]`,
      );
      if (message) focusMessage(message);
      else frame = requestAnimationFrame(focus);
    });
    const timer = setTimeout(() => setEnded(target), MARK_MS);
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
  }, [target]);
  return target !== ended ? (target?.messageId ?? null) : null;
}

function focusMessage(message: HTMLElement): void {
  // Reached by script alone: Tab goes on to what is in the message.
  message.tabIndex = -1;
  message.style.outline = 'none';
  message.focus({ preventScroll: true });
}
