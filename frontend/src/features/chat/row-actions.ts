import type { Conversation } from '@stolas/backend/contract';
import { create } from 'zustand';

/** Where a conversation is renamed or its menu opened: in its row of the list, or in the header above its messages. */
type Place = 'list' | 'header';

interface OpenMenu {
  conversation: Conversation;
  place: Place;
  /** The button that opened the menu: the menu stands beside it, and the focus returns there. */
  button: HTMLElement;
}

interface RowActions {
  menu: OpenMenu | null;
  renaming: { id: string; place: Place } | null;
  /** The conversation whose dialog for sharing is open. */
  sharing: Conversation | null;
  /** The conversation for which the owner offers to pay. */
  offering: Conversation | null;
}

/** At most one menu is open, one title edited, and one conversation shared. */
export const useRowActions = create<RowActions>(() => ({
  menu: null,
  renaming: null,
  sharing: null,
  offering: null,
}));

export const openMenu = (menu: OpenMenu): void => useRowActions.setState({ menu });
export const closeMenu = (): void => useRowActions.setState({ menu: null });

export const openSharing = (sharing: Conversation): void => useRowActions.setState({ sharing });
export const closeSharing = (): void => useRowActions.setState({ sharing: null });

export const openOffer = (offering: Conversation): void => useRowActions.setState({ offering });
export const closeOffer = (): void => useRowActions.setState({ offering: null });

export const startRenaming = (id: string, place: Place): void =>
  useRowActions.setState({ renaming: { id, place } });
export const endRenaming = (): void => useRowActions.setState({ renaming: null });

export const useIsMenuOpen = (id: string, place: Place): boolean =>
  useRowActions(({ menu }) => menu?.conversation.id === id && menu.place === place);
export const useIsRenaming = (id: string | undefined, place: Place): boolean =>
  useRowActions(({ renaming }) => renaming?.id === id && renaming?.place === place);
