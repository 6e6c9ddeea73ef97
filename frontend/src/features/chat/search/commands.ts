import {
  CreditCard,
  Files,
  Keyboard,
  LogOut,
  type LucideIcon,
  Moon,
  PanelLeft,
  Search,
  Settings,
  SquarePen,
  Sun,
} from 'lucide-react';
import { navigate } from 'wouter/use-browser-location';
import { toggleTheme, useTheme } from '../../../lib/theme.ts';
import { useSignOut } from '../../auth/index.ts';
import { NEW, select } from '../selection.ts';
import { setDrawerOpen, toggleSidebar, useSidebar } from '../sidebar/sidebar-store.ts';
import { isPhone } from '../use-media.ts';
import { openShortcutSheet } from '../use-shortcuts.ts';

/** What the command menu can do by itself. */
export interface Command {
  name: string;
  icon: LucideIcon;
  run: () => void;
}

/** The commands whose names contain the search. */
export function useCommands(search: string): Command[] {
  const isDark = useTheme() === 'dark';
  const { signOut } = useSignOut();
  const commands: Command[] = [
    { name: 'New chat', icon: SquarePen, run: () => select(NEW) },
    { name: 'Search messages', icon: Search, run: focusSearch },
    { name: 'Show or hide the sidebar', icon: PanelLeft, run: showOrHideSidebar },
    { name: 'Files', icon: Files, run: () => navigate('/files') },
    { name: 'Settings', icon: Settings, run: () => navigate('/settings') },
    { name: 'Plans', icon: CreditCard, run: () => navigate('/subscription?change=true') },
    {
      name: isDark ? 'Light theme' : 'Dark theme',
      icon: isDark ? Sun : Moon,
      run: toggleTheme,
    },
    { name: 'Keyboard shortcuts', icon: Keyboard, run: openShortcutSheet },
    { name: 'Sign out', icon: LogOut, run: signOut },
  ];
  const wanted = search.trim().toLowerCase();
  return commands.filter(({ name }) => name.toLowerCase().includes(wanted));
}

const showOrHideSidebar = (): void => (isPhone() ? setDrawerOpen(true) : toggleSidebar());

function focusSearch(): void {
  if (isPhone()) setDrawerOpen(true);
  else if (useSidebar.getState().collapsed) toggleSidebar();
  // The sidebar is drawn first; the drawer is loaded when it is first opened.
  let frames = 0;
  requestAnimationFrame(function focus() {
    const box = document.querySelector<HTMLInputElement>('nav input[type=search]');
    if (box) box.focus();
    else if ((frames += 1) < 120) requestAnimationFrame(focus);
  });
}
