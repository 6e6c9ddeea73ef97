import { navigate } from 'wouter/use-browser-location';
import { searchParam, useSearchParam } from '../../lib/search-params.ts';
import { isDrawerOpen } from './sidebar-store.ts';

/** The conversation that is created with its first message (docs/product.md, 'Sending and receiving'). */
export const NEW = 'new';

/** The id of the open conversation, `NEW`, or null. */
export const useSelection = (): string | null => useSearchParam('c');

/** The current selection, outside of a component. */
export const selected = (): string | null => searchParam('c');

/** Whether a new conversation can be written on the screen: home, or a new chat. Other pages have no selection either. */
export const isNewShown = (): boolean => location.pathname === '/' && (selected() ?? NEW) === NEW;

export const addressOf = (conversationId: string): string =>
  `/?c=${encodeURIComponent(conversationId)}`;

/** Opens a conversation. From the drawer of a phone it takes the place of the drawer's history entry. */
export const select = (conversationId: string, { replace = isDrawerOpen() } = {}): void =>
  navigate(addressOf(conversationId), { replace });
