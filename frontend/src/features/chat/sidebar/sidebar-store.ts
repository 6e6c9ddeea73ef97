import { create } from 'zustand';
import { readItem, writeItem } from '../../../lib/storage.ts';

// Pixels (docs/product.md, 'Chat').
export const MIN_WIDTH = 250;
export const MAX_WIDTH = 600;
export const DEFAULT_WIDTH = 320;

const WIDTH_KEY = 'sidebar-width';
const COLLAPSED_KEY = 'sidebar-collapsed';

interface SidebarState {
  width: number;
  collapsed: boolean;
  /** On phones the sidebar is a drawer. */
  drawerOpen: boolean;
}

export const clampWidth = (width: number): number =>
  Math.round(Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, width)));

export const useSidebar = create<SidebarState>(() => ({
  width: clampWidth(Number(readItem(WIDTH_KEY)) || DEFAULT_WIDTH),
  collapsed: readItem(COLLAPSED_KEY) === 'true',
  drawerOpen: false,
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

export const setDrawerOpen = (drawerOpen: boolean): void => useSidebar.setState({ drawerOpen });
