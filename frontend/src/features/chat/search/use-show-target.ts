import { useEffect, useEffectEvent, useState } from 'react';
import { messageOf, type ThreadTarget } from '../../../lib/thread-target.ts';

/** How long the message is marked; the mark fades in this time, without reduced motion. */
const MARK_MS = 2_400;

interface ShowTargetOptions {
  target: ThreadTarget | null;
  onTarget: () => void;
  scrollTo: (messageId: string) => void;
}

/**
 * Scrolls to the message that is to be shown, or the place in it, and moves the focus there.
 * @returns the id of the message while it is marked; a place in it is marked by `data-shown`
 */
export function useShowTarget({ target, onTarget, scrollTo }: ShowTargetOptions): string | null {
  const [ended, setEnded] = useState<ThreadTarget | null>(null);
  const show = useEffectEvent(({ messageId, within }: ThreadTarget) => {
    onTarget();
    if (!within || !messageOf(messageId)) scrollTo(messageId);
  });
  useEffect(() => {
    if (!target) return undefined;
    const leaving = new AbortController();
    const isMounted = messageOf(target.messageId) !== null;
    show(target);
    const go = async () => {
      const { goToTarget } = await import('./go-to-target.ts');
      goToTarget(target, { isMounted, signal: leaving.signal });
    };
    go().catch(() => undefined);
    const timer = setTimeout(() => setEnded(target), MARK_MS);
    return () => {
      leaving.abort();
      clearTimeout(timer);
    };
  }, [target]);
  const isMarked = target !== ended && !target?.within;
  return isMarked ? (target?.messageId ?? null) : null;
}
