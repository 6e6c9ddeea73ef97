import type { Message, ReplyPart } from '@stolas/backend/contract';
import { useCallback, useDeferredValue, useMemo, useSyncExternalStore } from 'react';
import { isActive, subscribeReply, viewOf } from '../../../realtime/index.ts';

const NONE: readonly ReplyPart[] = [];

/** The parts of a reply as far as it is written, and whether it still is. */
export function useReplyParts(message: Message | undefined) {
  const id = message?.role === 'assistant' ? message.id : '';
  const subscribe = useCallback((listener: () => void) => subscribeReply(id, listener), [id]);
  // A delta must not wait until the panel is drawn.
  const view = useDeferredValue(useSyncExternalStore(subscribe, () => viewOf(id)));
  const reply = message?.role === 'assistant' ? message : undefined;
  const { parts = NONE, status = 'complete' } = view ?? reply ?? {};
  const isWritten = isActive(status);
  return useMemo(() => ({ id, parts, isWritten }), [id, parts, isWritten]);
}
