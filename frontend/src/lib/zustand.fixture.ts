// Takes the place of zustand in all unit tests (vitest.config.ts), whose files share their stores.
import { create as createStore } from 'zustand/react';
import type { StateCreator } from 'zustand/vanilla';

const resets: (() => void)[] = [];

export function create<T>(initializer: StateCreator<T>) {
  const store = createStore<T>()(initializer);
  resets.push(() => store.setState(store.getInitialState(), true));
  return store;
}

export const resetStores = (): void => resets.forEach((reset) => reset());
