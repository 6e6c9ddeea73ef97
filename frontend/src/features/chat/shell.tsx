import { t } from 'virtual:texts/chat';
import type { User } from '@stolas/backend/contract';
import { Menu } from 'lucide-react';
import { type ReactNode, useEffect } from 'react';
import { IconButton } from '../../ui/icon-button.tsx';
import { TooltipProvider } from '../../ui/tooltip.tsx';
import { Overlays } from './overlays.tsx';
import { openCommandMenu } from './search/command-menu-store.ts';
import { NEW, select } from './selection.ts';
import { forgetDeleted } from './sidebar/forget-deleted.ts';
import { Sidebar } from './sidebar/sidebar.tsx';
import { setDrawerOpen, showOrHideSidebar } from './sidebar/sidebar-store.ts';
import { SkipLink } from './skip-links.tsx';
import { useIsPhone } from './use-media.ts';
import { openShortcutSheet, useShortcuts } from './use-shortcuts.ts';

const SHORTCUTS = {
  newChat: () => select(NEW),
  openCommandMenu,
  toggleSidebar: showOrHideSidebar,
  showSheet: openShortcutSheet,
};

/** The sidebar beside a page other than the chat: what it leads to, and the keys, are there everywhere. */
export function Shell({ user, children }: { user: User; children: ReactNode }) {
  const phone = useIsPhone();
  useEffect(() => forgetDeleted(user.id), [user.id]);
  useShortcuts(SHORTCUTS);
  return (
    <TooltipProvider>
      <div className="flex h-dvh overflow-clip">
        <SkipLink to="main">{t('skipToPage')}</SkipLink>
        <Sidebar user={user} selection={null} />
        <div className="flex min-w-0 flex-1 flex-col">
          {phone && (
            <header data-top-bar className="flex h-14 shrink-0 items-center px-2">
              <IconButton label={t('openSidebar')} onClick={() => setDrawerOpen(true)}>
                <Menu aria-hidden="true" />
              </IconButton>
            </header>
          )}
          {children}
        </div>
        <Overlays user={user} />
      </div>
    </TooltipProvider>
  );
}
