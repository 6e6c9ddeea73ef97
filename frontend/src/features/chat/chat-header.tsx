import { t } from 'virtual:texts/chat';
import type { Conversation, User } from '@stolas/backend/contract';
import { Ellipsis, Menu, SquarePen, UserPlus, Users } from 'lucide-react';
import { useRef } from 'react';
import { usePageTitle } from '../../lib/page-title.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { anchorBar, anchorLasting } from '../../ui/toast-store.ts';
import { ConnectionHint } from './connection-hint.tsx';
import { PresentPeople } from './present-people.tsx';
import { mayManage } from './role.ts';
import { endRenaming, openMenu, openSharing, useIsMenuOpen, useIsRenaming } from './row-actions.ts';
import { NEW, select } from './selection.ts';
import { TitleEditor } from './sidebar/lazy.ts';
import { setDrawerOpen } from './sidebar-store.ts';
import { isUncreated, useConversation } from './use-conversation.ts';
import { useIsPhone } from './use-media.ts';

/** Names what is open, here and in the browser's tab. The welcome panel has a heading of its own. */
export function ChatHeader({ user, selection }: { user: User; selection: string | null }) {
  const conversation = useConversation(selection);
  const isNew = selection === NEW || (selection !== null && isUncreated(selection));
  const name = isNew ? t('newChat') : conversation?.title;
  usePageTitle(name);
  const phone = useIsPhone();
  const isRenaming = useIsRenaming(selection ?? '', 'header');
  // On a phone the field for the title takes their room.
  const hasTools = !(phone && isRenaming);
  return (
    <>
      <header
        ref={anchorBar}
        className="flex min-h-12 shrink-0 items-center gap-2 px-4 py-1 pointer-coarse:min-h-14 pointer-coarse:px-2"
      >
        {phone && (
          <IconButton label={t('openSidebar')} onClick={() => setDrawerOpen(true)}>
            <Menu aria-hidden="true" />
          </IconButton>
        )}
        <div className="flex min-w-0 flex-1 items-center gap-1">
          {conversation ? (
            <Title key={conversation.id} conversation={conversation} />
          ) : (
            name && <h1 className="truncate text-sm text-muted">{name}</h1>
          )}
        </div>
        {conversation?.shared && hasTools && (
          <PresentPeople key={conversation.id} id={conversation.id} userId={user.id} />
        )}
        {conversation && hasTools && <Sharing user={user} conversation={conversation} />}
        <ConnectionHint />
        {phone && hasTools && (
          <IconButton label={t('newChatButton')} onClick={() => select(NEW)}>
            <SquarePen aria-hidden="true" />
          </IconButton>
        )}
      </header>
      {phone && <div ref={anchorLasting} className="shrink-0" />}
    </>
  );
}

/** Says whose conversation it is, and shares it. */
function Sharing({ user, conversation }: { user: User; conversation: Conversation }) {
  const { shared, temporary } = conversation;
  if (!mayManage(conversation) || user.demo || temporary)
    return shared ? (
      <p className="flex min-w-0 items-center gap-1 text-xs text-muted">
        <Users aria-hidden="true" className="size-4 shrink-0" />
        <span className="truncate max-sm:sr-only">
          {t('sharedBy', { name: shared.owner.name })}
        </span>
      </p>
    ) : null;
  const Icon = shared ? Users : UserPlus;
  return (
    <IconButton
      label={t('shareHere')}
      size="sm"
      aria-haspopup="dialog"
      onClick={() => openSharing(conversation)}
    >
      <Icon aria-hidden="true" />
    </IconButton>
  );
}

function Title({ conversation }: { conversation: Conversation }) {
  const { id, title } = conversation;
  const menuButton = useRef<HTMLButtonElement>(null);
  const isRenaming = useIsRenaming(id, 'header');
  const isMenuOpen = useIsMenuOpen(id, 'header');
  const heading = (
    <h1 dir="auto" title={title} className="min-w-0 truncate text-left text-sm text-muted">
      {title}
    </h1>
  );
  return (
    <>
      {isRenaming ? (
        <TitleEditor
          fallback={heading}
          className="w-full max-w-md"
          conversation={conversation}
          onEnd={({ byKey }) => {
            endRenaming();
            if (byKey) menuButton.current?.focus();
          }}
        />
      ) : (
        heading
      )}
      <IconButton
        ref={menuButton}
        label={t('actionsHere')}
        size="sm"
        aria-haspopup="menu"
        aria-expanded={isMenuOpen}
        onClick={({ currentTarget }) =>
          openMenu({ conversation, place: 'header', button: currentTarget })
        }
      >
        <Ellipsis aria-hidden="true" />
      </IconButton>
    </>
  );
}
