import { pause } from './pause.ts';

/** Waits before the second and the third attempt: another web process may have the file, or the connection is back. */
const RETRY_AFTER_MS = [500, 2_000];

/**
 * Loads code that the page does not have yet, by `import()`; a load that fails is repeated twice within seconds. Browsers that keep a failed
 * `import()` for the life of the page (before whatwg/html#10327) repeat the failure.
 * @throws what the last attempt threw: the file does not exist any more, or nothing answers
 */
export async function loadCode<T>(load: () => Promise<T>): Promise<T> {
  for (const ms of RETRY_AFTER_MS) {
    try {
      return await load();
    } catch (error) {
      // Nothing is gained while the browser is offline.
      if (!navigator.onLine) throw error;
      forgetStyles(error);
      await pause(ms);
    }
  }
  return load();
}

/** Vite takes a stylesheet for loaded as long as its element is in the page, also after it failed. */
function forgetStyles(error: unknown): void {
  if (!(error instanceof Error)) return;
  for (const link of document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]'))
    if (error.message.endsWith(link.href)) link.remove();
}
