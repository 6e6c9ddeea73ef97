import { t } from 'virtual:texts/commandMenu';
import { t as actions } from 'virtual:texts/conversationActions';
import {
  Braces,
  Brain,
  CreditCard,
  Drama,
  FileDown,
  Files,
  Keyboard,
  LogOut,
  type LucideIcon,
  Moon,
  PanelLeft,
  Pencil,
  Printer,
  Search,
  Settings,
  SquarePen,
  Star,
  Sun,
} from 'lucide-react';
import { navigate } from 'wouter/use-browser-location';
import { hasPlans } from '../../../lib/page-settings.ts';
import { toggleTheme, useTheme } from '../../../lib/theme.ts';
import { useSignOut, useUser } from '../../auth/index.ts';
import { setPersonaOfNewChat, usePersonas } from '../../personas/index.ts';
import { sectionsFor } from '../../settings/index.ts';
import { exportConversation } from '../export/export-conversation.ts';
import { printConversation } from '../export/print-conversation.ts';
import { mayManage } from '../role.ts';
import { startRenaming } from '../row-actions.ts';
import { NEW, select, useSelection } from '../selection.ts';
import { shortcutKeys } from '../shortcut-keys.ts';
import { setDrawerOpen, showOrHideSidebar, toggleSidebar, useSidebar } from '../sidebar-store.ts';
import { toggleStar, useStars } from '../stars.ts';
import { useConversation } from '../use-conversation.ts';
import { isPhone } from '../use-media.ts';
import { openShortcutSheet } from '../use-shortcuts.ts';

/** The commands of the menu itself. */
export interface Command {
  id: string;
  name: string;
  icon: LucideIcon;
  /** Keys that do the same, pressed together. */
  keys?: readonly string[];
  run: () => void;
}

interface Commands {
  /** The commands for the open conversation. */
  here: Command[];
  everywhere: Command[];
}

/** The commands whose names contain the search. Personas and sections of Settings are found by a search only. */
export function useCommands(search: string): Commands {
  const wanted = search.trim().toLowerCase();
  const matching = (commands: Command[]) =>
    commands.filter(({ name }) => name.toLowerCase().includes(wanted));
  const found = [...usePersonaCommands(wanted !== ''), ...useSettingsCommands()];
  return {
    here: matching(useConversationCommands()),
    everywhere: matching([...useGeneralCommands(), ...(wanted === '' ? [] : found)]),
  };
}

function useGeneralCommands(): Command[] {
  const isDark = useTheme() === 'dark';
  const { signOut } = useSignOut();
  const keys = shortcutKeys();
  const theme = isDark ? 'lightTheme' : 'darkTheme';
  const commands: (Omit<Command, 'name'> & { id: Parameters<typeof t>[0] })[] = [
    { id: 'newChat', icon: SquarePen, keys: keys.newChat, run: () => select(NEW) },
    { id: 'searchMessages', icon: Search, run: focusSearch },
    { id: 'toggleSidebar', icon: PanelLeft, keys: keys.toggleSidebar, run: showOrHideSidebar },
    { id: 'files', icon: Files, run: () => navigate('/files') },
    { id: 'memory', icon: Brain, run: () => navigate('/memory') },
    { id: 'personas', icon: Drama, run: () => navigate('/personas') },
    { id: 'settings', icon: Settings, run: () => navigate('/settings') },
    ...(hasPlans()
      ? [
          {
            id: 'plans' as const,
            icon: CreditCard,
            run: () => navigate('/subscription?change=true'),
          },
        ]
      : []),
    { id: theme, icon: isDark ? Sun : Moon, run: toggleTheme },
    { id: 'shortcuts', icon: Keyboard, keys: keys.showSheet, run: openShortcutSheet },
    { id: 'signOut', icon: LogOut, run: signOut },
  ];
  return commands.map((command) => ({ ...command, name: t(command.id) }));
}

/** The commands of its menu (`conversation-menu.tsx`) except Delete. */
function useConversationCommands(): Command[] {
  const { user } = useUser();
  const conversation = useConversation(useSelection());
  const stars = useStars(user?.id ?? '');
  if (!conversation || !user) return [];
  const { id } = conversation;
  const rename = {
    id: 'rename',
    name: actions('rename'),
    icon: Pencil,
    run: () => startRenaming(id, 'header'),
  };
  return [
    ...(mayManage(conversation) ? [rename] : []),
    {
      id: 'star',
      name: actions(stars.has(id) ? 'removeStar' : 'addStar'),
      icon: Star,
      run: () => toggleStar(user.id, id),
    },
    {
      id: 'exportMarkdown',
      name: actions('exportMarkdown'),
      icon: FileDown,
      run: () => void exportConversation(conversation, 'md'),
    },
    {
      id: 'exportJson',
      name: actions('exportJson'),
      icon: Braces,
      run: () => void exportConversation(conversation, 'json'),
    },
    {
      id: 'print',
      name: actions('print'),
      icon: Printer,
      keys: shortcutKeys().print,
      run: () => void printConversation(id),
    },
  ];
}

function usePersonaCommands(isEnabled: boolean): Command[] {
  const personas = usePersonas({ isEnabled });
  return personas.map(({ id, name }) => ({
    id: `persona-${id}`,
    name: t('chatAs', { name }),
    icon: Drama,
    run: () => {
      setPersonaOfNewChat(id);
      select(NEW);
    },
  }));
}

function useSettingsCommands(): Command[] {
  const { user } = useUser();
  if (!user) return [];
  return sectionsFor(user).map(({ id, label }) => ({
    id: `settings-${id}`,
    name: t('settingsSection', { section: label }),
    icon: Settings,
    run: () => showSection(id),
  }));
}

/** On the page itself the browser scrolls to the section. */
function showSection(id: string): void {
  if (location.pathname === '/settings') location.hash = id;
  else navigate(`/settings#${id}`);
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
