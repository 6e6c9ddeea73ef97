import { t as common } from 'virtual:texts/app';
import { t as chat } from 'virtual:texts/chat';
import { t } from 'virtual:texts/conversationActions';
import type { User } from '@stolas/backend/contract';
import {
  Braces,
  FileDown,
  Globe,
  Link2,
  Pencil,
  Printer,
  Star,
  Trash2,
  UserPlus,
  Wallet,
} from 'lucide-react';
import { useEffect, useRef } from 'react';
import { copyText } from '../../../lib/copy-text.ts';
import { Kbd } from '../../../ui/kbd.tsx';
import { Menu, MenuContent, MenuItem, MenuSeparator, MenuTrigger } from '../../../ui/menu.tsx';
import { toast, toastError } from '../../../ui/toast-store.ts';
import { openShareDialog } from '../../shares/index.ts';
import { exportConversation } from '../export/export-conversation.ts';
import { printConversation } from '../export/print-conversation.ts';
import { isOwn, mayManage } from '../role.ts';
import { closeMenu, openOffer, openSharing, startRenaming, useRowActions } from '../row-actions.ts';
import { addressOf } from '../selection.ts';
import { toggleStar, useStars } from '../stars.ts';
import { isPhone } from '../use-media.ts';
import { deleteConversation } from './delete-conversation.ts';
import { focusBesideRow } from './list-keys.ts';

/** The actions of the conversation whose menu is open. */
export function ConversationMenu({ user }: { user: User }) {
  const menu = useRowActions((state) => state.menu);
  const stars = useStars(user.id);
  useCloseOnScroll(menu?.button);
  // An action that moves the focus itself waits until the menu, which holds the focus, is gone.
  const afterClose = useRef<() => void>(undefined);
  if (!menu) return null;
  const { conversation, place, button } = menu;
  const { id, title, temporary } = conversation;
  const isManager = mayManage(conversation);

  const rename = () => {
    afterClose.current = () => startRenaming(id, place);
  };
  const opens = (open: () => void) => () => {
    afterClose.current = () => {
      button.focus();
      open();
    };
  };
  const remove = () => {
    afterClose.current = () => {
      if (place === 'list') focusBesideRow(button);
      void deleteConversation(conversation);
    };
  };

  return (
    // Over the drawer a menu has to be modal, too: otherwise a press in the menu is one beside the drawer.
    <Menu open modal={isPhone()} onOpenChange={(open) => !open && closeMenu()}>
      <MenuTrigger>
        <Anchor element={button} />
      </MenuTrigger>
      <MenuContent
        align={place === 'list' ? 'start' : 'end'}
        aria-labelledby={undefined}
        aria-label={chat('actionsFor', { title })}
        onCloseAutoFocus={(event) => {
          event.preventDefault();
          if (afterClose.current) afterClose.current();
          else button.focus();
        }}
      >
        <MenuItem onSelect={() => toggleStar(user.id, id)}>
          <Star aria-hidden="true" className={stars.has(id) ? 'fill-current' : undefined} />
          {t(stars.has(id) ? 'removeStar' : 'addStar')}
        </MenuItem>
        {isManager && (
          <MenuItem onSelect={rename}>
            <Pencil aria-hidden="true" />
            {t('rename')}
            {place === 'list' && <Key>F2</Key>}
          </MenuItem>
        )}
        {isManager && !user.demo && !temporary && (
          <MenuItem onSelect={opens(() => openSharing(conversation))}>
            <UserPlus aria-hidden="true" />
            {t('share')}
          </MenuItem>
        )}
        {isOwn(conversation) && conversation.shared && (
          <MenuItem onSelect={opens(() => openOffer(conversation))}>
            <Wallet aria-hidden="true" />
            {t('payForOthers')}
          </MenuItem>
        )}
        <MenuItem onSelect={() => void copyLink(id)}>
          <Link2 aria-hidden="true" />
          {t('copyLink')}
        </MenuItem>
        {isManager && user.subscriptionStatus !== 'guest' && !temporary && (
          <MenuItem onSelect={opens(() => openShareDialog({ conversationId: id }))}>
            <Globe aria-hidden="true" />
            {t('publicLink')}
          </MenuItem>
        )}
        <MenuSeparator />
        <MenuItem onSelect={() => void exportConversation(conversation, 'md')}>
          <FileDown aria-hidden="true" />
          {t('exportMarkdown')}
        </MenuItem>
        <MenuItem onSelect={() => void exportConversation(conversation, 'json')}>
          <Braces aria-hidden="true" />
          {t('exportJson')}
        </MenuItem>
        <MenuItem onSelect={() => void printConversation(id)}>
          <Printer aria-hidden="true" />
          {t('print')}
        </MenuItem>
        {isManager && (
          <>
            <MenuSeparator />
            <MenuItem danger onSelect={remove}>
              <Trash2 aria-hidden="true" />
              {common('delete')}
              {place === 'list' && <Key>{t('deleteKey')}</Key>}
            </MenuItem>
          </>
        )}
      </MenuContent>
    </Menu>
  );
}

/** The menu stays in place when the list scrolls away under it. */
function useCloseOnScroll(button: HTMLElement | undefined): void {
  useEffect(() => {
    const onScroll = ({ target }: Event) => {
      if (button && target instanceof Node && target.contains(button)) closeMenu();
    };
    window.addEventListener('scroll', onScroll, { capture: true, passive: true });
    return () => window.removeEventListener('scroll', onScroll, { capture: true });
  }, [button]);
}

const Key = ({ children }: { children: string }) => (
  <span aria-hidden="true" className="ml-auto pl-4 pointer-coarse:hidden">
    <Kbd>{children}</Kbd>
  </span>
);

/** Covers the button: it may be one of many, and gets its menu only when it is pressed. */
function Anchor({ element, ...rest }: { element: HTMLElement }) {
  const { left, top, width, height } = element.getBoundingClientRect();
  return (
    <span
      {...rest}
      aria-hidden="true"
      className="pointer-events-none fixed"
      style={{ left, top, width, height }}
    />
  );
}

const copyLink = (conversationId: string): Promise<number> =>
  copyText(new URL(addressOf(conversationId), location.origin).href).then(
    () => toast({ title: chat('copiedNotice') }),
    () => toastError(t('copyFailedTitle'), t('copyFailedText')),
  );
