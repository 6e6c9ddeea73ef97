import type { User } from '@stolas/backend/contract';
import { lazyPart } from '../../ui/lazy-part.tsx';
import { GrantsDialog } from '../grants/index.ts';
import { closeShareDialog, ShareDialog, useShareDialog } from '../shares/index.ts';
import { closeMenu, closeOffer, closeSharing, useRowActions } from './row-actions.ts';
import { closeCommandMenu, useCommandMenu } from './search/command-menu-store.ts';
import { ConversationMenu } from './sidebar/lazy.ts';
import { closeShortcutSheet, useShortcutSheet } from './use-shortcuts.ts';

const ShortcutSheet = lazyPart(async () => (await import('./shortcut-sheet.tsx')).ShortcutSheet, {
  missing: 'floating',
});

const OfferDialog = lazyPart(async () => (await import('./share/offer-dialog.tsx')).OfferDialog, {
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
  const shared = useShareDialog(({ target }) => target);
  const offering = useRowActions((actions) => actions.offering);
  const sharing = useRowActions((actions) => actions.sharing);
  return (
    <>
      {shared && <ShareDialog target={shared} onClose={closeShareDialog} />}
      {isSheetOpen && <ShortcutSheet onClose={closeShortcutSheet} />}
      {isCommandMenuOpen && <CommandMenu onClose={closeCommandMenu} />}
      {isMenuOpen && <ConversationMenu user={user} onClose={closeMenu} />}
      {offering && <OfferDialog conversation={offering} onClose={closeOffer} />}
      {sharing && (
        <GrantsDialog
          user={user}
          record={{ ...sharing, kind: 'conversations', name: sharing.title }}
          onClose={closeSharing}
        />
      )}
    </>
  );
}
