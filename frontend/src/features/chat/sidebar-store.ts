import { navigate, useHistoryState } from 'wouter/use-browser-location';
import { create } from 'zustand';
import { readItem, writeItem } from '../../lib/storage.ts';
import { isPhone } from './use-media.ts';

// Pixels (docs/product.md, 'Chat').
export const MIN_WIDTH = 250;
export const MAX_WIDTH = 600;
export const DEFAULT_WIDTH = 320;

const WIDTH_KEY = 'sidebar-width';
const COLLAPSED_KEY = 'sidebar-collapsed';

interface SidebarState {
  width: number;
  collapsed: boolean;
}

export const clampWidth = (width: number): number =>
  Math.round(Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, width)));

export const useSidebar = create<SidebarState>(() => ({
  width: clampWidth(Number(readItem(WIDTH_KEY)) || DEFAULT_WIDTH),
  collapsed: readItem(COLLAPSED_KEY) === 'true',
}));

export function setSidebarWidth(width: number): void {
  const clamped = clampWidth(width);
  useSidebar.setState({ width: clamped });
  writeItem(WIDTH_KEY, String(clamped));
}

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
