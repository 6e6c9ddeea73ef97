// The URL has the state of a page, so that reload and the back button keep it.

import { useSearch } from 'wouter';
import { navigate } from 'wouter/use-browser-location';

const valueIn = (search: string, name: string, shape?: RegExp): string | null => {
  const value = new URLSearchParams(search).get(name);
  return value !== null && shape && !shape.test(value) ? null : value;
};

/** The value of a search parameter; null without one, or when it does not match `shape`. */
export const useSearchParam = (name: string, shape?: RegExp): string | null =>
  valueIn(useSearch(), name, shape);

/** The current value of a search parameter, outside of a component. */
export const searchParam = (name: string): string | null => valueIn(location.search, name);

/** Sets search parameters; null removes one. The others stay. */
export function setSearchParams(
  changes: Readonly<Record<string, string | null>>,
  options?: { replace: boolean },
): void {
  const params = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) params.delete(name);
    else params.set(name, value);
  }
  navigate(params.size > 0 ? `${location.pathname}?${params}` : location.pathname, options);
}
