import { navigate, useHistoryState } from 'wouter/use-browser-location';
import { create } from 'zustand';
import { createPanelWidth } from '../../lib/panel-width.ts';
import { readItem, writeItem } from '../../lib/storage.ts';
import { isPhone } from './use-media.ts';

// docs/product.md, 'Chat'.
export const SIDEBAR_WIDTHS = { min: 250, max: 600, initial: 320 };
export const [useSidebarWidth, setSidebarWidth] = createPanelWidth('sidebar-width', SIDEBAR_WIDTHS);

const COLLAPSED_KEY = 'sidebar-collapsed';

export const useSidebar = create(() => ({ collapsed: readItem(COLLAPSED_KEY) === 'true' }));

export function toggleSidebar(): void {
  const collapsed = !useSidebar.getState().collapsed;
  useSidebar.setState({ collapsed });
  writeItem(COLLAPSED_KEY, String(collapsed));
}

/** Marks the history entry of the open drawer, so that Back closes it and stays on the page. */
interface DrawerState {
  isDrawerOpen?: boolean;
}

export const isDrawerOpen = (): boolean =>
  (history.state as DrawerState | null)?.isDrawerOpen === true;

/** On phones the sidebar is a drawer. */
export const useDrawerOpen = (): boolean =>
  useHistoryState<DrawerState | null>()?.isDrawerOpen === true;

let isClosing = false;
window.addEventListener('popstate', () => {
  isClosing = false;
});

/** Opens the drawer, or closes it as Back does. A page opened from the drawer replaces its history entry. */
export function setDrawerOpen(open: boolean): void {
  if (open === isDrawerOpen() || isClosing) return;
  if (open) return navigate(location.href, { state: { isDrawerOpen: true } satisfies DrawerState });
  // Back takes effect later: a second call meanwhile would leave the page.
  isClosing = true;
  history.back();
}

/** Opens the drawer of a phone; elsewhere expands or collapses the sidebar. */
export const showOrHideSidebar = (): void => (isPhone() ? setDrawerOpen(true) : toggleSidebar());
