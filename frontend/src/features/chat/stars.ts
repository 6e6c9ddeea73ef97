import { useMemo, useSyncExternalStore } from 'react';
import { parseJson, readItem, writeItem } from '../../lib/storage.ts';

// Stars are local view state: this browser stores them per user, and all of its tabs show the same.
const listeners = new Set<() => void>();
const keyOf = (userId: string) => `stars:${userId}`;

export function useStars(userId: string): ReadonlySet<string> {
  const stored = useSyncExternalStore(subscribe, () => readItem(keyOf(userId)));
  return useMemo(() => new Set(parse(stored)), [stored]);
}

export const starredBy = (userId: string): string[] => parse(readItem(keyOf(userId)));

export const toggleStar = (userId: string, conversationId: string): void =>
  change(userId, (stars) =>
    stars.includes(conversationId)
      ? stars.filter((id) => id !== conversationId)
      : [...stars, conversationId],
  );

export const removeStar = (userId: string, conversationId: string): void =>
  change(userId, (stars) => stars.filter((id) => id !== conversationId));

function change(userId: string, step: (stars: string[]) => string[]): void {
  const key = keyOf(userId);
  writeItem(key, JSON.stringify(step(parse(readItem(key)))));
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  // The browser sends `storage` when another tab writes.
  window.addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', listener);
  };
}

function parse(stored: string | null): string[] {
  const value = parseJson(stored);
  return Array.isArray(value) ? value.filter((id) => typeof id === 'string') : [];
}
