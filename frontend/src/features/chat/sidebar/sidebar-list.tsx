import type { Conversation } from '@stolas/backend/contract';
import { useQuery } from '@tanstack/react-query';
import { Star } from 'lucide-react';
import { memo } from 'react';
import { Link } from 'wouter';
import { formatDate } from '../../../lib/time.ts';
import { cn } from '../../../ui/cn.ts';
import { IconButton } from '../../../ui/icon-button.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { EmptyState, ErrorState } from '../../../ui/states.tsx';
import { conversationsQuery } from '../api.ts';
import { setDrawerOpen } from './sidebar-store.ts';
import { arrange } from './sort-conversations.ts';
import { toggleStar, useStars } from './stars.ts';

interface SidebarListProps {
  userId: string;
  selection: string | null;
  search: string;
}

export function SidebarList({ userId, selection, search }: SidebarListProps) {
  const { data, isError, refetch } = useQuery(conversationsQuery);
  const stars = useStars(userId);
  if (!data) {
    return isError ? <ListError onRetry={() => void refetch()} /> : <ListSkeleton />;
  }
  const shown = arrange(data, { stars, search });
  if (shown.length === 0) return <NothingToList search={search} />;
  return (
    <ul className="min-h-0 flex-1 overflow-y-auto overscroll-contain px-3 py-1">
      {shown.map((conversation) => (
        <Item
          key={conversation.id}
          userId={userId}
          conversation={conversation}
          selected={conversation.id === selection}
          starred={stars.has(conversation.id)}
        />
      ))}
    </ul>
  );
}

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
