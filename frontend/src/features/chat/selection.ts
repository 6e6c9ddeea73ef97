import { useSearch } from 'wouter';
import { navigate } from 'wouter/use-browser-location';

/** The conversation that is created with its first message (docs/product.md, 'Sending and receiving'). */
export const NEW = 'new';

/** The id of the open conversation, `NEW`, or null. It is part of the URL, so that reload and the back button keep it. */
export const useSelection = (): string | null => new URLSearchParams(useSearch()).get('c');

export function select(conversationId: string, options?: { replace?: boolean }): void {
  navigate(`/?c=${encodeURIComponent(conversationId)}`, options);
}
