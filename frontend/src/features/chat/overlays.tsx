import type { User } from '@stolas/backend/contract';
import { lazyPart } from '../../ui/lazy-part.tsx';
import { useRowActions } from './row-actions.ts';
import { useCommandMenu } from './search/command-menu-store.ts';
import { ConversationMenu } from './sidebar/lazy.ts';
import { useShortcutSheet } from './use-shortcuts.ts';

const ShortcutSheet = lazyPart(async () => (await import('./shortcut-sheet.tsx')).ShortcutSheet, {
  missing: 'floating',
});

const CommandMenu = lazyPart(async () => (await import('./search/command-menu.tsx')).CommandMenu, {
  missing: 'floating',
});

/** The dialogs and menus that the sidebar and the keys open. */
export function Overlays({ user }: { user: User }) {
  const isSheetOpen = useShortcutSheet((sheet) => sheet.isOpen);
  const isCommandMenuOpen = useCommandMenu((menu) => menu.isOpen);
  const isMenuOpen = useRowActions(({ menu }) => menu !== null);
  return (
    <>
      {isSheetOpen && <ShortcutSheet />}
      {isCommandMenuOpen && <CommandMenu />}
      {isMenuOpen && <ConversationMenu user={user} />}
    </>
  );
}
