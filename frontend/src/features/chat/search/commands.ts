import { t } from 'virtual:texts/commandMenu';
import {
  Brain,
  CreditCard,
  Drama,
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
import {
  setDrawerOpen,
  showOrHideSidebar,
  toggleSidebar,
  useSidebar,
} from '../sidebar/sidebar-store.ts';
import { isPhone } from '../use-media.ts';
import { openShortcutSheet } from '../use-shortcuts.ts';

/** What the command menu can do by itself. */
export interface Command {
  id: Parameters<typeof t>[0];
  name: string;
  icon: LucideIcon;
  run: () => void;
}

/** The commands whose names contain the search. */
export function useCommands(search: string): Command[] {
  const isDark = useTheme() === 'dark';
  const { signOut } = useSignOut();
  const commands: Omit<Command, 'name'>[] = [
    { id: 'newChat', icon: SquarePen, run: () => select(NEW) },
    { id: 'searchMessages', icon: Search, run: focusSearch },
    { id: 'toggleSidebar', icon: PanelLeft, run: showOrHideSidebar },
    { id: 'files', icon: Files, run: () => navigate('/files') },
    { id: 'memory', icon: Brain, run: () => navigate('/memory') },
    { id: 'personas', icon: Drama, run: () => navigate('/personas') },
    { id: 'settings', icon: Settings, run: () => navigate('/settings') },
    { id: 'plans', icon: CreditCard, run: () => navigate('/subscription?change=true') },
    {
      id: isDark ? 'lightTheme' : 'darkTheme',
      icon: isDark ? Sun : Moon,
      run: toggleTheme,
    },
    { id: 'shortcuts', icon: Keyboard, run: openShortcutSheet },
    { id: 'signOut', icon: LogOut, run: signOut },
  ];
  const wanted = search.trim().toLowerCase();
  return commands
    .map((command) => ({ ...command, name: t(command.id) }))
    .filter(({ name }) => name.toLowerCase().includes(wanted));
}

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
