import type { Conversation } from '@stolas/backend/contract';
import { Star } from 'lucide-react';
import { memo, useEffect, useEffectEvent, useRef } from 'react';
import { Link } from 'wouter';
import { formatDate } from '../../../lib/time.ts';
import { Button } from '../../../ui/button.tsx';
import { cn } from '../../../ui/cn.ts';
import { IconButton } from '../../../ui/icon-button.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { EmptyState, ErrorState } from '../../../ui/states.tsx';
import { setDrawerOpen } from './sidebar-store.ts';
import { toggleStar, useStars } from './stars.ts';
import { useConversations } from './use-conversations.ts';

/** The next page is loaded when its place is this close to the view. */
const LOAD_AHEAD_PX = 400;

interface SidebarListProps {
  userId: string;
  selection: string | null;
  search: string;
}

export function SidebarList({ userId, selection, search }: SidebarListProps) {
  const stars = useStars(userId);
  const list = useConversations({ stars, search });
  const { conversations, hasMore, isMoreFailed, loadMore } = list;
  if (!conversations) {
    return list.isFailed ? <ListError onRetry={list.retry} /> : <ListSkeleton />;
  }
  if (conversations.length === 0 && !hasMore && !isMoreFailed) {
    return <NothingToList search={search} />;
  }
  return (
    <ul className="min-h-0 flex-1 overflow-y-auto overscroll-contain px-3 py-1">
      {conversations.map((conversation) => (
        <Item
          key={conversation.id}
          userId={userId}
          conversation={conversation}
          selected={conversation.id === selection}
          starred={stars.has(conversation.id)}
        />
      ))}
      {isMoreFailed ? (
        <MoreError onRetry={loadMore} />
      ) : (
        hasMore && <MoreRow key={list.version} onVisible={loadMore} />
      )}
    </ul>
  );
}

/** A placeholder for conversations that are not loaded; when it comes into view, the next page is loaded. */
function MoreRow({ onVisible }: { onVisible: () => void }) {
  const row = useRef<HTMLLIElement>(null);
  const load = useEffectEvent(onVisible);
  useEffect(() => {
    if (!row.current) return undefined;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting) load();
      },
      { root: row.current.parentElement, rootMargin: `${LOAD_AHEAD_PX}px` },
    );
    observer.observe(row.current);
    return () => observer.disconnect();
  }, []);
  return (
    <li ref={row} className="grid gap-2 px-3 py-2.5">
      <span className="sr-only">Loading more conversations</span>
      <Skeleton className="w-4/5" />
      <Skeleton className="h-3 w-1/4" />
    </li>
  );
}

const MoreError = ({ onRetry }: { onRetry: () => void }) => (
  <li
    role="alert"
    className="flex flex-wrap items-center justify-between gap-2 px-3 py-2 text-sm text-muted"
  >
    Older conversations could not be loaded.
    <Button size="sm" onClick={onRetry}>
      Try again
    </Button>
  </li>
);

interface ItemProps {
  userId: string;
  conversation: Conversation;
  selected: boolean;
  starred: boolean;
}

const Item = memo(function Item({ userId, conversation, selected, starred }: ItemProps) {
  const { id, title, updatedAt } = conversation;
  return (
    <li
      data-conversation-id={id}
      className={cn(
        'group/item relative flex items-center rounded-sm transition-colors duration-150 ease-out hover:bg-hover',
        selected && 'bg-hover',
      )}
    >
      <Link
        href={`/?c=${encodeURIComponent(id)}`}
        aria-current={selected ? 'page' : undefined}
        title={title}
        onClick={() => setDrawerOpen(false)}
        className="min-w-0 flex-1 rounded-sm py-2 pr-11 pl-3"
      >
        <span dir="auto" className="block truncate text-left text-sm">
          {title}
        </span>
        <time dateTime={updatedAt} className="block text-xs text-muted">
          {formatDate(updatedAt)}
        </time>
      </Link>
      <IconButton
        label={starred ? 'Remove star' : 'Add star'}
        aria-pressed={starred}
        size="sm"
        onClick={() => toggleStar(userId, id)}
        className={cn(
          'absolute right-1.5 transition-opacity group-hover/item:opacity-100 focus-visible:opacity-100 pointer-coarse:right-0 pointer-coarse:opacity-100',
          !starred && 'opacity-0',
        )}
      >
        <Star aria-hidden="true" className={starred ? 'fill-current' : undefined} />
      </IconButton>
    </li>
  );
});

const NothingToList = ({ search }: { search: string }) => (
  <div className="min-h-0 flex-1 overflow-hidden pt-6">
    {search.trim() === '' ? (
      <EmptyState
        title="No conversations yet"
        description="What you write stays here, so you can come back to it."
      />
    ) : (
      <EmptyState title="No results" description="No title contains what you are looking for." />
    )}
  </div>
);

const ListError = ({ onRetry }: { onRetry: () => void }) => (
  <div className="min-h-0 flex-1 pt-6">
    <ErrorState
      title="Your conversations could not be loaded"
      description="They are safe on the server."
      onRetry={onRetry}
    />
  </div>
);

const ListSkeleton = () => (
  <div aria-hidden="true" className="min-h-0 flex-1 overflow-hidden px-6 py-3">
    {[0, 1, 2, 3, 4].map((row) => (
      <div key={row} className="grid gap-2 pb-5">
        <Skeleton className="w-4/5" />
        <Skeleton className="h-3 w-1/4" />
      </div>
    ))}
  </div>
);
