import { useSearch } from 'wouter';
import { navigate } from 'wouter/use-browser-location';
import { isDrawerOpen } from './sidebar/sidebar-store.ts';

/** The conversation that is created with its first message (docs/product.md, 'Sending and receiving'). */
export const NEW = 'new';

/** The id of the open conversation, `NEW`, or null. It is part of the URL, so that reload and the back button keep it. */
export const useSelection = (): string | null => selectionIn(useSearch());

/** The selection at this moment. */
export const selected = (): string | null => selectionIn(window.location.search);

const selectionIn = (search: string) => new URLSearchParams(search).get('c');

/** The id of the open conversation, outside of a component. */
export const selectedId = (): string | null => new URLSearchParams(location.search).get('c');

export const addressOf = (conversationId: string): string =>
  `/?c=${encodeURIComponent(conversationId)}`;

/** Opens a conversation. From the drawer of a phone it takes the place of the drawer's history entry. */
export const select = (conversationId: string, { replace = isDrawerOpen() } = {}): void =>
  navigate(addressOf(conversationId), { replace });
