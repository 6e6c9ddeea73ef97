// localStorage that never throws. Where the browser refuses it (private mode, full, disabled) the value is kept as long
// as the page, so that sign-in still works.
const fallback = new Map<string, string>();

export function readItem(key: string): string | null {
  // A full storage still has the value before this one.
  const kept = fallback.get(key);
  if (kept !== undefined) return kept;
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

export function writeItem(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
    fallback.delete(key);
  } catch {
    fallback.set(key, value);
  }
}

/** The value of a stored text; undefined for none, and when it is not JSON. */
export function parseJson(stored: string | null): unknown {
  if (!stored) return undefined;
  try {
    return JSON.parse(stored);
  } catch {
    return undefined;
  }
}

/** The keys that begin with `prefix`, in no particular order. */
export const keysOf = (prefix: string): string[] =>
  [...new Set([...fallback.keys(), ...storedKeys()])].filter((key) => key.startsWith(prefix));

/** The values of every item whose key begins with `prefix`, in no particular order. */
export const readItems = (prefix: string): string[] =>
  keysOf(prefix).map((key) => readItem(key) ?? '');

/** Removes every item whose key begins with `prefix`. */
export function removeItems(prefix: string): void {
  for (const key of keysOf(prefix)) removeItem(key);
}

function storedKeys(): string[] {
  try {
    return Object.keys(localStorage);
  } catch {
    return [];
  }
}

export function removeItem(key: string): void {
  fallback.delete(key);
  try {
    localStorage.removeItem(key);
  } catch {
    // Nothing can be stored there, so there is nothing to remove.
    return;
  }
  // A message that waits is stored before its draft is removed: then there is room for it.
  for (const [other, value] of fallback) writeItem(other, value);
}
