import { t } from 'virtual:texts/search';
import type { SearchResult } from '@stolas/backend/contract';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { KeyboardEvent } from 'react';
import { Link } from 'wouter';
import { formatDay, formatRecent } from '../../../lib/time.ts';
import { useDelayed } from '../../../lib/use-delayed.ts';
import { RetryLine } from '../../../ui/retry-line.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { MoreRow } from '../more-row.tsx';
import { useIsPhone } from '../use-media.ts';
import { searchQuery, useFound } from './search-query.ts';
import { Snippet } from './snippet.tsx';
import { messageAddress, requestTarget } from './target.ts';

const DELAY_MS = 250;

/** Messages that contain the words of a search, below the titles. */
export function SearchResults({ search }: { search: string }) {
  const wanted = search.trim();
  const asked = useDelayed(wanted, DELAY_MS);
  const found = useInfiniteQuery(searchQuery(asked));
  const results = useFound(found.data?.pages);
  const isWaiting = asked !== wanted || found.isPlaceholderData;

  return (
    <section aria-labelledby="found-messages" aria-busy={isWaiting || found.isFetching}>
      <h2 id="found-messages" className="px-3 pt-4 pb-1 text-xs font-medium text-muted">
        {t('messages')}
      </h2>
      <output className="sr-only">
        {results && !isWaiting && t('found', { count: results.length })}
      </output>
      {results && results.length > 0 && (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the keys of the links within
        <ul onKeyDown={moveByKey} className={isWaiting ? 'opacity-60' : undefined}>
          {results.map((result) => (
            <ResultRow key={result.messageId} result={result} />
          ))}
        </ul>
      )}
      {found.isError ? (
        <RetryLine
          text={t('failed')}
          onRetry={() => void (found.data ? found.fetchNextPage() : found.refetch())}
        />
      ) : (
        <>
          {!results && <ResultSkeletons />}
          {results?.length === 0 && !found.hasNextPage && !isWaiting && (
            <p className="px-3 py-2 text-sm text-muted">{t('nothing', { search: asked })}</p>
          )}
          {found.hasNextPage && !isWaiting && (
            <MoreRow
              key={found.dataUpdatedAt}
              label={t('loadingMore')}
              onVisible={() => void found.fetchNextPage()}
            />
          )}
        </>
      )}
    </section>
  );
}

function ResultRow({ result }: { result: SearchResult }) {
  const { conversationId, messageId, title, createdAt } = result;
  return (
    <li>
      <Link
        href={messageAddress(conversationId, messageId)}
        replace={useIsPhone()}
        onClick={requestTarget}
        className="block rounded-sm px-3 py-2 transition-colors duration-150 ease-out hover:bg-hover"
      >
        <span className="flex items-baseline gap-2 text-xs text-muted">
          <span dir="auto" className="min-w-0 flex-1 truncate text-left">
            {title}
          </span>
          <time dateTime={createdAt} title={formatDay(createdAt)} className="shrink-0 tabular-nums">
            {formatRecent(createdAt)}
          </time>
        </span>
        <span dir="auto" className="mt-0.5 line-clamp-3 text-left text-sm wrap-anywhere">
          <Snippet result={result} />
        </span>
      </Link>
    </li>
  );
}

/** The arrow keys, Home and End move the focus between results. */
function moveByKey(event: KeyboardEvent<HTMLUListElement>): void {
  const links = [...event.currentTarget.querySelectorAll('a')];
  const at = links.findIndex((link) => link === document.activeElement);
  const next = {
    ArrowDown: links[at + 1],
    ArrowUp: links[at - 1],
    Home: links[0],
    End: links.at(-1),
  }[event.key];
  if (!next) return;
  event.preventDefault();
  next.focus();
}

const ResultSkeletons = () => (
  <div aria-hidden="true" className="px-3">
    {['w-11/12', 'w-4/5', 'w-full'].map((width) => (
      <div key={width} className="grid gap-2 py-2.5">
        <Skeleton className="h-3 w-2/5" />
        <Skeleton className={width} />
      </div>
    ))}
  </div>
);
