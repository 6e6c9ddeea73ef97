// Full page loads, which leave no data of the previous user in memory.

/** A load that has not replaced the page by then was cancelled, and may be started again. */
const UNDER_WAY_MS = 10_000;

let underWay: { path: string; since: number } | undefined;
let isHeld = false;

// The browser has taken this page out of its back-forward cache.
window.addEventListener('pageshow', () => {
  underWay = undefined;
  isHeld = false;
});

/**
 * Loads `path`. Nothing happens while it is being loaded already: the second load would abort the first one, and several
 * parts of a page may notice at once that the session has ended.
 */
export function goTo(path: string): void {
  const now = performance.now();
  if (underWay?.path === path && now - underWay.since < UNDER_WAY_MS) return;
  underWay = { path, since: now };
  window.location.assign(path);
}

/**
 * Whether a call of this page ends the session and chooses the next page: a report of the end from elsewhere loads no
 * page.
 */
export const isPlaceHeld = (): boolean => isHeld;
export const holdPlace = (held: boolean): void => {
  isHeld = held;
};

export const reloadPage = (): void => window.location.reload();
