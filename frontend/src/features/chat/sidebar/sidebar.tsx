import { t } from 'virtual:texts/chat';
import type { User } from '@stolas/backend/contract';
import { PanelLeftClose, PanelLeftOpen, Search, SquarePen } from 'lucide-react';
import { useState } from 'react';
import { flushSync } from 'react-dom';
import { Button } from '../../../ui/button.tsx';
import { EdgeResizer } from '../../../ui/edge-resizer.tsx';
import { Eye } from '../../../ui/eye.tsx';
import { IconButton } from '../../../ui/icon-button.tsx';
import { lazyPart } from '../../../ui/lazy-part.tsx';
import { SearchField } from '../../../ui/search-field.tsx';
import { NEW, select } from '../selection.ts';
import {
  SIDEBAR_WIDTHS,
  setDrawerOpen,
  setSidebarWidth,
  toggleSidebar,
  useDrawerOpen,
  useSidebar,
  useSidebarWidth,
} from '../sidebar-store.ts';
import { useIsPhone } from '../use-media.ts';
import { SidebarFooter, SidebarRailFooter } from './sidebar-footer.tsx';
import { SidebarList } from './sidebar-list.tsx';

// Loaded when it is first opened, on phones only.
const Drawer = lazyPart(async () => (await import('./drawer.tsx')).Drawer, { missing: 'floating' });

interface SidebarProps {
  user: User;
  selection: string | null;
}

/** Resizable, collapsible to a rail; a drawer on phones (docs/product.md, 'Screens'). */
export function Sidebar(props: SidebarProps) {
  const { collapsed } = useSidebar();
  const { width } = useSidebarWidth();
  const isDrawerOpen = useDrawerOpen();
  if (useIsPhone()) {
    return (
      isDrawerOpen && (
        <Drawer onClose={() => setDrawerOpen(false)}>
          <Panel {...props} />
        </Drawer>
      )
    );
  }
  if (collapsed) return <Rail user={props.user} />;
  return (
    <div className="relative shrink-0 border-r border-line bg-surface" style={{ width }}>
      <Panel {...props} />
    </div>
  );
}

function Panel({ user, selection }: SidebarProps) {
  const [search, setSearch] = useState('');
  const isPhone = useIsPhone();
  return (
    <nav aria-label={t('conversations')} className="flex h-full flex-col overflow-y-auto">
      <header className="flex items-center gap-2.5 py-3 pr-3 pl-4">
        <Eye className="text-gold" />
        <span className="flex-1 font-semibold">STOLAS</span>
        {!isPhone && (
          <IconButton
            label={t('collapseSidebar')}
            shortcut={t('sidebarKeys')}
            side="right"
            onClick={toggleSidebar}
          >
            <PanelLeftClose aria-hidden="true" />
          </IconButton>
        )}
      </header>
      <div className="grid gap-2 px-3 pb-2">
        <Button className="w-full border-line bg-raised" onClick={openNew}>
          <SquarePen aria-hidden="true" className="size-4" />
          {t('newChatButton')}
        </Button>
        <SearchField
          label={t('searchConversations')}
          placeholder={t('searchPlaceholder')}
          value={search}
          onChange={setSearch}
          inputClassName="border-transparent bg-transparent hover:bg-hover focus:bg-ground"
        />
      </div>
      {/* In a window too low for all of it, such as that of a phone on its side, the sidebar scrolls as a whole. */}
      <div className="flex min-h-40 flex-1 flex-col">
        <SidebarList
          userId={user.id}
          isGuest={user.subscriptionStatus === 'guest'}
          selection={selection}
          search={search}
        />
      </div>
      <SidebarFooter user={user} />
      {!isPhone && <SidebarResizer />}
    </nav>
  );
}

const openNew = (): void => select(NEW);

/** Expands the sidebar and puts the cursor into its search box. */
function openSearch(): void {
  flushSync(toggleSidebar);
  document.querySelector<HTMLInputElement>('nav input[type=search]')?.focus();
}

const Rail = ({ user }: { user: User }) => (
  <nav
    aria-label={t('conversations')}
    className="flex w-16 shrink-0 flex-col items-center gap-2 overflow-y-auto border-r border-line bg-surface py-3"
  >
    <IconButton
      label={t('expandSidebar')}
      shortcut={t('sidebarKeys')}
      side="right"
      onClick={toggleSidebar}
    >
      <PanelLeftOpen aria-hidden="true" />
    </IconButton>
    <IconButton label={t('newChatButton')} side="right" onClick={openNew}>
      <SquarePen aria-hidden="true" />
    </IconButton>
    <IconButton label={t('searchConversations')} side="right" onClick={openSearch}>
      <Search aria-hidden="true" />
    </IconButton>
    <SidebarRailFooter user={user} />
  </nav>
);

/** The sidebar's right edge. */
const SidebarResizer = () => (
  <EdgeResizer
    label={t('sidebarWidth')}
    edge="right"
    {...SIDEBAR_WIDTHS}
    {...useSidebarWidth()}
    onResize={setSidebarWidth}
  />
);
