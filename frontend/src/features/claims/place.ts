import { createPanelFocus } from '../../lib/panel-focus.ts';
import { setSearchParams, useSearchParam } from '../../lib/search-params.ts';
import { NO_FILE } from '../files/index.ts';

const REPLY_ID = /^[0-9a-f]{24}$/i;

/** The search parameters of a page without an open list of claims. */
export const NO_CLAIMS = { claims: null };

/** The reply whose claims are listed beside the chat, `?claims=<reply>`; null when none are. */
export const useClaimsPlace = (): string | null => useSearchParam('claims', REPLY_ID);

let openedSource: string | null = null;
const focus = createPanelFocus();
export const takeFocus = focus.take;

/** Lists the claims of a reply beside the chat. */
export function openClaims(replyId: string): void {
  focus.leave();
  openedSource = null;
  setSearchParams({ ...NO_FILE, claims: replyId });
}

/** Closes the list, and the file that was opened from it. */
export function closeClaims(): void {
  focus.close(() => setSearchParams({ ...NO_FILE, ...NO_CLAIMS }, { replace: true }));
}

/** Call it when a source is opened from the list: the focus is there when the list is shown again. */
export function leaveBySource(key: string): void {
  openedSource = key;
}

/** The source that was opened from the list since the list was opened. */
export const leftBySource = (): string | null => openedSource;
