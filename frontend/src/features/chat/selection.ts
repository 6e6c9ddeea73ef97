import { useSearch } from 'wouter';
import { navigate } from 'wouter/use-browser-location';

/** The pseudo-conversation: it becomes a real one with its first message (specification section 4). */
export const NEW = 'new';

/** The open conversation's id, `NEW`, or null. It lives in the address, so it survives a reload and the back button. */
export const useSelection = (): string | null => new URLSearchParams(useSearch()).get('c');

export function select(conversationId: string, options?: { replace?: boolean }): void {
  navigate(`/?c=${encodeURIComponent(conversationId)}`, options);
}
