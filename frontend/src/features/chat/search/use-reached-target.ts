import { useEffect, useState } from 'react';
import { type Target, useTarget } from './target.ts';

/** The message that the address names, once it is among the loaded messages of the conversation. */
export function useReachedTarget(conversationId: string, isLoaded: boolean): Target | null {
  const target = useTarget();
  const [reached, setReached] = useState<Target | null>(null);
  useEffect(() => {
    if (!target || !isLoaded) return undefined;
    const leaving = new AbortController();
    const { signal } = leaving;
    const reach = async () => {
      const { reachMessage } = await import('./reach-message.ts');
      const isThere = await reachMessage({ conversationId, ...target, signal });
      if (isThere && !signal.aborted) setReached(target);
    };
    void reach();
    return () => leaving.abort();
  }, [target, conversationId, isLoaded]);
  return reached === target ? reached : null;
}
