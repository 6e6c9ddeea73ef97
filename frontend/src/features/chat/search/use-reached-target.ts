import { useEffect, useState } from 'react';
import { clearThreadTarget, type ThreadTarget } from '../../../lib/thread-target.ts';
import { useTarget } from './target.ts';

/** The message that is to be shown, once it is among the loaded messages of the conversation. */
export function useReachedTarget(conversationId: string, isLoaded: boolean): ThreadTarget | null {
  const target = useTarget();
  const [reached, setReached] = useState<ThreadTarget | null>(null);
  useEffect(() => clearThreadTarget, []);
  useEffect(() => {
    if (!target || !isLoaded) return undefined;
    const leaving = new AbortController();
    const { signal } = leaving;
    const reach = async () => {
      const { reachMessage } = await import('./reach-message.ts');
      const { messageId } = target;
      const isThere = await reachMessage({ conversationId, messageId, signal });
      if (isThere && !signal.aborted) setReached(target);
    };
    // The conversation is open without it.
    reach().catch(() => undefined);
    return () => leaving.abort();
  }, [target, conversationId, isLoaded]);
  return reached === target ? reached : null;
}
