import type { User } from '@stolas/backend/contract';
import { lazy, Suspense } from 'react';
import { useRowActions } from './row-actions.ts';
import { useCommandMenu } from './search/command-menu-store.ts';
import { ConversationMenu } from './sidebar/lazy.ts';
import { useShortcutSheet } from './use-shortcuts.ts';

const ShortcutSheet = lazy(async () => ({
  default: (await import('./shortcut-sheet.tsx')).ShortcutSheet,
}));

const CommandMenu = lazy(async () => ({
  default: (await import('./search/command-menu.tsx')).CommandMenu,
}));

/** The dialogs and menus that the sidebar and the keys open. */
export function Overlays({ user }: { user: User }) {
  const isSheetOpen = useShortcutSheet((sheet) => sheet.isOpen);
  const isCommandMenuOpen = useCommandMenu((menu) => menu.isOpen);
  const isMenuOpen = useRowActions(({ menu }) => menu !== null);
  return (
    <Suspense>
      {isSheetOpen && <ShortcutSheet />}
      {isCommandMenuOpen && <CommandMenu />}
      {isMenuOpen && <ConversationMenu user={user} />}
    </Suspense>
  );
}
