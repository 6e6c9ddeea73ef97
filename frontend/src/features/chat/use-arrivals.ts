import { t } from 'virtual:texts/chat';
import type { Person } from '@stolas/backend/contract';
import { useEffect, useRef, useState } from 'react';

/** Screen readers hear at most so often who came. */
const SAY_EVERY_MS = 60_000;

/**
 * The announcement of those who opened a conversation after its reader did. Who comes while the last one is recent is named in the next
 * one, unless they have left by then.
 * @param people who is there now; undefined while that is unknown
 */
export function useArrivals(people: readonly Person[] | undefined): string {
  const [said, setSaid] = useState('');
  const known = useRef<ReadonlySet<string>>(undefined);
  const waiting = useRef(new Map<string, string>());
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    if (!people) return;
    const before = known.current;
    known.current = new Set(people.map(({ id }) => id));
    if (!before) return;
    for (const { id, name } of people) if (!before.has(id)) waiting.current.set(id, name);
    for (const id of waiting.current.keys()) if (!known.current.has(id)) waiting.current.delete(id);
    const say = () => {
      timer.current = undefined;
      if (waiting.current.size === 0) return;
      setSaid(t('cameHere', { names: [...waiting.current.values()].join(', ') }));
      waiting.current.clear();
      timer.current = setTimeout(say, SAY_EVERY_MS);
    };
    if (timer.current === undefined) say();
  }, [people]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return said;
}
