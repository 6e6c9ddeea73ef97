import { t } from 'virtual:texts/chat';
import type { Conversation } from '@stolas/backend/contract';
import { type FocusEvent, type KeyboardEvent, useState } from 'react';
import { loadCode } from '../../../lib/load-code.ts';
import { lazyPart } from '../../../ui/lazy-part.tsx';
import { offerReload } from '../../../ui/new-version.tsx';
import { RetryLine } from '../../../ui/retry-line.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { EmptyState, ErrorState } from '../../../ui/states.tsx';
import { MoreRow } from '../more-row.tsx';
import { mayManage } from '../role.ts';
import { startRenaming } from '../row-actions.ts';
import { useStars } from '../stars.ts';
import { ConversationRow } from './conversation-row.tsx';
import { loadActions } from './lazy.ts';
import { focusBesideRow, moveByKey, rowIdOf } from './list-keys.ts';
import { group } from './sort-conversations.ts';
import { useConversations } from './use-conversations.ts';

// Loaded with the first search.
const SearchResults = lazyPart(
  async () => (await import('../search/search-results.tsx')).SearchResults,
);

interface SidebarListProps {
  userId: string;
  isGuest: boolean;
  selection: string | null;
  search: string;
}

export function SidebarList({ userId, isGuest, selection, search }: SidebarListProps) {
  const stars = useStars(userId);
  const list = useConversations({ stars, search });
  const { conversations, hasMore, isMoreFailed, loadMore } = list;
  const { tabStop, ...focusHandlers } = useTabStop(conversations, selection);
  if (!conversations) {
    return list.isFailed ? <ListError onRetry={list.retry} /> : <ListSkeleton />;
  }
  const isSearch = search.trim() !== '';
  const isEmpty = conversations.length === 0 && !hasMore && !isMoreFailed;
  if (isEmpty && !isSearch) return <NothingYet isGuest={isGuest} />;
  return (
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions -- the keys of the links and buttons within
    <div
      data-list
      className="relative min-h-0 flex-1 overflow-y-auto overscroll-contain px-3 pb-2"
      onKeyDown={(event) => onListKey(event, conversations)}
      {...focusHandlers}
    >
      {group(conversations, { stars }).map(({ name, conversations: rows }) => (
        <section key={name} aria-labelledby={`conversations-${name}`}>
          <h2
            id={`conversations-${name}`}
            className="px-3 pt-3 pb-1 text-xs font-medium text-muted"
          >
            {t(name)}
          </h2>
          <ul>
            {rows.map((conversation) => (
              <ConversationRow
                key={conversation.id}
                userId={userId}
                conversation={conversation}
                isSelected={conversation.id === selection}
                isStarred={stars.has(conversation.id)}
                isUnderToday={name === 'today'}
                isTabStop={conversation.id === tabStop}
              />
            ))}
          </ul>
        </section>
      ))}
      {isMoreFailed ? (
        <RetryLine text={t('moreFailed')} onRetry={loadMore} />
      ) : (
        hasMore && (
          <MoreRow key={list.version} label={t('loadingConversations')} onVisible={loadMore} />
        )
      )}
      {isSearch && <SearchResults search={search} />}
    </div>
  );
}

/** The one row that Tab stops at: the one with the focus, else the selected one, else the first. */
function useTabStop(conversations: readonly Conversation[] | undefined, selection: string | null) {
  const [focused, setFocused] = useState<string>();
  const ids = new Set(conversations?.map(({ id }) => id));
  const tabStop = [focused, selection].find((id) => id && ids.has(id)) ?? conversations?.[0]?.id;
  return {
    tabStop,
    onFocus: ({ target }: FocusEvent) => setFocused(rowIdOf(target)),
    onBlur: ({ currentTarget, relatedTarget }: FocusEvent) => {
      if (!currentTarget.contains(relatedTarget)) setFocused(undefined);
    },
  };
}

function onListKey(event: KeyboardEvent, conversations: readonly Conversation[]): void {
  const conversation = conversations.find(({ id }) => id === rowIdOf(event.target));
  if (conversation && event.key === 'F2') {
    event.preventDefault();
    if (mayManage(conversation)) startRenaming(conversation.id, 'list');
  } else if (conversation && event.key === 'Delete') {
    event.preventDefault();
    if (!mayManage(conversation)) return;
    focusBesideRow(event.target);
    void loadCode(loadActions).then((code) => code.deleteConversation(conversation), offerReload);
  } else moveByKey(event);
}

const NothingYet = ({ isGuest }: { isGuest: boolean }) => (
  <div className="min-h-0 flex-1 overflow-hidden pt-6">
    <EmptyState
      title={t('nothingYetTitle')}
      description={t(isGuest ? 'nothingYetGuest' : 'nothingYetText')}
    />
  </div>
);

const ListError = ({ onRetry }: { onRetry: () => void }) => (
  <div className="min-h-0 flex-1 pt-6">
    <ErrorState title={t('listFailedTitle')} description={t('listFailedText')} onRetry={onRetry} />
  </div>
);

const ListSkeleton = () => (
  <div aria-hidden="true" className="min-h-0 flex-1 overflow-hidden px-6 pt-10">
    {['w-4/5', 'w-3/5', 'w-11/12', 'w-2/3', 'w-3/4'].map((width) => (
      <div key={width} className="flex h-9 items-center pointer-coarse:h-11">
        <Skeleton className={width} />
      </div>
    ))}
  </div>
);
