import { t } from 'virtual:texts/chat';
import type { Conversation } from '@stolas/backend/contract';
import { AtSign, Ellipsis, Star, Users } from 'lucide-react';
import { type ComponentProps, memo, type ReactNode } from 'react';
import { Link } from 'wouter';
import { formatDay, formatRecent } from '../../../lib/time.ts';
import { useActivity } from '../../../realtime/index.ts';
import { cn } from '../../../ui/cn.ts';
import { endRenaming, openMenu, useIsMenuOpen, useIsRenaming } from '../row-actions.ts';
import { addressOf } from '../selection.ts';
import { toggleStar } from '../stars.ts';
import { useIsPhone } from '../use-media.ts';
import { TitleEditor } from './lazy.ts';
import { focusRow } from './list-keys.ts';

interface ConversationRowProps {
  userId: string;
  conversation: Conversation;
  isSelected: boolean;
  isStarred: boolean;
  /** The heading above it says the date: the time is for screen readers. */
  isUnderToday: boolean;
  /** The one row of the list that Tab stops at. */
  isTabStop: boolean;
}

/** A conversation in the list. The keys of `list-keys.ts` reach its buttons; Tab passes them by. */
export const ConversationRow = memo(function ConversationRow(props: ConversationRowProps) {
  const { conversation, isSelected } = props;
  const { id } = conversation;
  const isRenaming = useIsRenaming(id, 'list');
  const content = <RowContent {...props} />;
  return (
    <li
      data-conversation-id={id}
      className={cn(
        'group/row relative flex min-h-9 items-center rounded-sm pointer-coarse:min-h-11',
        isSelected
          ? 'bg-accent-soft before:absolute before:inset-y-2 before:left-0 before:w-0.5 before:rounded-full before:bg-accent'
          : 'transition-colors duration-150 ease-out hover:bg-hover has-aria-expanded:bg-hover',
      )}
    >
      {isRenaming ? (
        <TitleEditor
          fallback={content}
          className="flex-1 px-1"
          conversation={conversation}
          onEnd={({ byKey }) => {
            endRenaming();
            // The row has its link again after the next render.
            if (byKey) requestAnimationFrame(() => focusRow(document, id));
          }}
        />
      ) : (
        content
      )}
    </li>
  );
});

function RowContent({
  userId,
  conversation,
  isSelected,
  isStarred,
  isUnderToday,
  isTabStop,
}: ConversationRowProps) {
  const { id, title, updatedAt, shared } = conversation;
  return (
    <>
      <Link
        href={addressOf(id)}
        replace={useIsPhone()}
        aria-current={isSelected ? 'page' : undefined}
        aria-keyshortcuts="F2 Delete"
        title={title}
        tabIndex={isTabStop ? 0 : -1}
        className="flex min-w-0 flex-1 items-center gap-2 self-stretch rounded-sm pr-1 pl-3 -outline-offset-2"
      >
        <span dir="auto" className="min-w-0 flex-1 truncate text-left text-sm">
          {title}
        </span>
        {shared && (
          <>
            <Users aria-hidden="true" className="size-3.5 shrink-0 text-muted" />
            <span className="sr-only">{t('sharedMark')}</span>
          </>
        )}
        {shared?.mentioned && !isSelected && (
          <>
            <AtSign aria-hidden="true" className="size-3.5 shrink-0 text-accent" />
            <span className="sr-only">{t('mentionedMark')}</span>
          </>
        )}
        <ActivityDot conversationId={id} isUnread={Boolean(shared?.unread) && !isSelected} />
        <time
          dateTime={updatedAt}
          title={formatDay(updatedAt)}
          className={
            isUnderToday
              ? 'sr-only'
              : cn('shrink-0 text-xs text-muted tabular-nums', WHILE_USED.hidden)
          }
        >
          {formatRecent(updatedAt)}
        </time>
      </Link>
      <RowButton
        label={t(isStarred ? 'removeStarFrom' : 'addStarTo', { title })}
        onClick={() => toggleStar(userId, id)}
      >
        <Star aria-hidden="true" className={isStarred ? 'fill-current text-accent' : undefined} />
      </RowButton>
      <MenuButton conversation={conversation} />
    </>
  );
}

/**
 * A row under the pointer, with the focus of the keyboard, or with an open menu shows its buttons in place of the date.
 * Without a width rather than without a box: the browser moves the focus only to what has a box after the blur.
 */
const WHILE_USED = {
  shown:
    'w-0 opacity-0 pointer-fine:group-hover/row:w-7 pointer-fine:group-hover/row:opacity-100 group-has-focus-visible/row:w-7 group-has-focus-visible/row:opacity-100 group-has-aria-expanded/row:w-7 group-has-aria-expanded/row:opacity-100',
  hidden:
    'pointer-fine:group-hover/row:hidden pointer-fine:group-has-focus-visible/row:hidden pointer-fine:group-has-aria-expanded/row:hidden',
};

/** Without a pointer the buttons are always visible. */
const ON_TOUCH = 'pointer-coarse:w-11 pointer-coarse:opacity-100';

function MenuButton({ conversation }: { conversation: Conversation }) {
  const isOpen = useIsMenuOpen(conversation.id, 'list');
  return (
    <RowButton
      label={t('actionsFor', { title: conversation.title })}
      aria-haspopup="menu"
      aria-expanded={isOpen}
      onClick={({ currentTarget }) =>
        openMenu({ conversation, place: 'list', button: currentTarget })
      }
    >
      <Ellipsis aria-hidden="true" />
    </RowButton>
  );
}

/** Without a tooltip: a list has hundreds of these buttons. */
const RowButton = ({
  label,
  ...rest
}: Omit<ComponentProps<'button'>, 'aria-label' | 'className'> & { label: string }) => (
  <button
    type="button"
    aria-label={label}
    tabIndex={-1}
    className={cn(
      'grid h-7 shrink-0 place-content-center overflow-hidden rounded-sm text-muted last:mr-1 hover:text-ink pointer-coarse:h-11 pointer-coarse:last:mr-0 [&_svg]:size-4',
      WHILE_USED.shown,
      ON_TOUCH,
    )}
    {...rest}
  />
);

/** @param isUnread others have written in it since the user read it, in any tab */
function ActivityDot({
  conversationId,
  isUnread,
}: {
  conversationId: string;
  isUnread: boolean;
}): ReactNode {
  const isRunning = useActivity(({ running }) => conversationId in running);
  const hasReply = useActivity(({ unread }) => conversationId in unread);
  if (!isRunning && !hasReply && !isUnread) return null;
  return (
    <>
      <span
        aria-hidden="true"
        className={cn(
          'size-1.5 shrink-0 rounded-full',
          isRunning ? 'animate-shimmer bg-accent' : 'bg-cool',
        )}
      />
      <span className="sr-only">
        {t(isRunning ? 'replyRunning' : isUnread ? 'newMessages' : 'newReply')}
      </span>
    </>
  );
}
