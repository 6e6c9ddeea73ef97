import { useSyncExternalStore } from 'react';
import { writeItem } from './storage.ts';

type Theme = 'light' | 'dark';

const KEY = 'theme';
const listeners = new Set<() => void>();

// public/theme.js sets the class of the root before the first paint; that class is the state.
const currentTheme = (): Theme =>
  document.documentElement.classList.contains('dark') ? 'dark' : 'light';

/** Switches between light and dark and stores the choice (docs/product.md, 'Screens'). */
export function toggleTheme(): void {
  const next = currentTheme() === 'dark' ? 'light' : 'dark';
  writeItem(KEY, next);
  show(next);
}

export const useTheme = (): Theme => useSyncExternalStore(subscribe, currentTheme);

function show(theme: Theme): void {
  document.documentElement.classList.toggle('dark', theme === 'dark');
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Applies the theme that another tab chose. @returns a function that ends it. */
export function followTheme(): () => void {
  const onStorage = ({ key, newValue }: StorageEvent) => {
    if (key === KEY && (newValue === 'light' || newValue === 'dark')) show(newValue);
  };
  window.addEventListener('storage', onStorage);
  return () => window.removeEventListener('storage', onStorage);
}
