import { useSearch } from 'wouter';
import { navigate } from 'wouter/use-browser-location';

/** The conversation that is created with its first message (docs/product.md, 'Sending and receiving'). */
export const NEW = 'new';

/** The id of the open conversation, `NEW`, or null. It is part of the URL, so that reload and the back button keep it. */
export const useSelection = (): string | null => selectionIn(useSearch());

/** The selection at this moment. */
export const selected = (): string | null => selectionIn(window.location.search);

const selectionIn = (search: string) => new URLSearchParams(search).get('c');

export function select(conversationId: string, options?: { replace?: boolean }): void {
  navigate(`/?c=${encodeURIComponent(conversationId)}`, options);
}
