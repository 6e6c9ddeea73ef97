import { useSyncExternalStore } from 'react';
import { readItem, removeItem, writeItem } from './storage.ts';

type Theme = 'light' | 'dark';
/** `system`: the preference of the operating system, now and later. */
export type ThemeChoice = Theme | 'system';

const KEY = 'theme';
const listeners = new Set<() => void>();
const systemIsLight = matchMedia('(prefers-color-scheme: light)');

// public/start.js sets the class of the root before the first paint; that class is the state.
const currentTheme = (): Theme =>
  document.documentElement.classList.contains('dark') ? 'dark' : 'light';

const choiceOf = (stored: string | null): ThemeChoice =>
  stored === 'light' || stored === 'dark' ? stored : 'system';

const currentChoice = (): ThemeChoice => choiceOf(readItem(KEY));

/** Switches between light and dark and stores the choice (docs/product.md, 'Stars, drafts, theme'). */
export const toggleTheme = (): void => chooseTheme(currentTheme() === 'dark' ? 'light' : 'dark');

/** Shows and stores a choice; `system` is stored as no choice. */
export function chooseTheme(choice: ThemeChoice): void {
  if (choice === 'system') removeItem(KEY);
  else writeItem(KEY, choice);
  show(choice);
}

export const useTheme = (): Theme => useSyncExternalStore(subscribe, currentTheme);

export const useThemeChoice = (): ThemeChoice => useSyncExternalStore(subscribe, currentChoice);

function show(choice: ThemeChoice): void {
  const theme = choice === 'system' ? (systemIsLight.matches ? 'light' : 'dark') : choice;
  document.documentElement.classList.toggle('dark', theme === 'dark');
  const bar = document.querySelector<HTMLMetaElement>('meta[name=theme-color]');
  if (bar) bar.content = bar.dataset[theme] ?? '';
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/**
 * Applies choices of other tabs and, without a choice, the preference of the operating system.
 * @returns a function that ends it.
 */
export function followTheme(): () => void {
  const onStorage = ({ key, newValue }: StorageEvent) => {
    if (key === KEY) show(choiceOf(newValue));
  };
  const onSystem = () => show(currentChoice());
  window.addEventListener('storage', onStorage);
  systemIsLight.addEventListener('change', onSystem);
  return () => {
    window.removeEventListener('storage', onStorage);
    systemIsLight.removeEventListener('change', onSystem);
  };
}
