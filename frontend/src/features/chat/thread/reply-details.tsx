import { t as common } from 'virtual:texts/app';
import { t } from 'virtual:texts/replyDetails';
import type {
  DepthReceipt,
  LedgerLine,
  Reply,
  ReplyUsage,
  UsageKind,
} from '@stolas/backend/contract';
import { useQuery } from '@tanstack/react-query';
import type { ComponentProps, ReactNode } from 'react';
import { apiGet } from '../../../lib/api.ts';
import { formatNumber } from '../../../lib/number.ts';
import { usageKindName } from '../../../lib/usage-kinds.ts';
import { Button } from '../../../ui/button.tsx';
import { cn } from '../../../ui/cn.ts';
import { Popover } from '../../../ui/popover.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { depthLines, differenceText, modelText, refusalText } from './depth-receipt.tsx';
import { leftOutOf } from './receipt-notes.tsx';

interface ReplyDetailsProps extends Pick<ComponentProps<typeof Popover>, 'button' | 'onClose'> {
  reply: Pick<Reply, 'id' | 'metadata'>;
}

/** The charges of a reply (docs/product.md, 'Usage'); read when opened. */
export function ReplyDetails({ reply, ...popover }: ReplyDetailsProps) {
  const { id: replyId, metadata: { depthReceipt: depth, contextReceipt } = {} } = reply;
  const leftOut = leftOutOf(contextReceipt);
  const { data, isError, isFetching, refetch } = useQuery({
    queryKey: ['reply-usage', replyId],
    queryFn: ({ signal }) =>
      apiGet<ReplyUsage>(`/api/replies/${replyId}/usage`, { signal, on401: 'throw' }),
    staleTime: 0,
    gcTime: 0,
  });
  return (
    <Popover {...popover} label={t('title')} className="w-72 text-sm">
      {data && <Charges usage={data} />}
      {depth && <DepthDetails receipt={depth} />}
      {leftOut > 0 && <p className="mt-2 text-xs text-muted">{t('notSent', { count: leftOut })}</p>}
      {!data && !isError && <Loading />}
      {!data && isError && (
        <div role="alert" className="grid justify-items-start gap-3">
          <p className="text-muted">{t('failed')}</p>
          <Button size="sm" busy={isFetching} onClick={() => void refetch()}>
            {common('tryAgain')}
          </Button>
        </div>
      )}
    </Popover>
  );
}

const DepthDetails = ({ receipt }: { receipt: DepthReceipt }) => (
  <div className="mt-2.5 border-t border-line pt-2.5">
    <dl className="grid gap-1.5">
      {depthLines(receipt).map(([term, value]) => (
        <Line key={term} term={term}>
          {value}
        </Line>
      ))}
    </dl>
    {[differenceText(receipt), modelText(receipt), refusalText(receipt)].map(
      (text) =>
        text && (
          <p key={text} className="mt-2 text-xs text-muted">
            {text}
          </p>
        ),
    )}
  </div>
);

const Loading = () => (
  <div aria-busy="true" className="grid gap-3 py-1">
    <span className="sr-only">{t('reading')}</span>
    {['w-full', 'w-10/12', 'w-11/12', 'w-8/12'].map((width) => (
      <Skeleton key={width} className={width} />
    ))}
  </div>
);

function Charges({ usage: { entries, tokens } }: { usage: ReplyUsage }) {
  const replies = entries.filter(({ kind }) => kind === 'reply');
  const charged = replies.filter(({ state }) => state === 'settled');
  const models = [...new Set(replies.flatMap(({ model }) => model ?? []))];
  const sum = (field: 'promptTokens' | 'cachedTokens' | 'completionTokens' | 'reasoningTokens') =>
    charged.reduce((total, entry) => total + entry[field], 0);
  return (
    <>
      <dl className="grid gap-1.5">
        {models.length > 0 && <Line term={t('model')}>{models.join(', ')}</Line>}
        <Line
          term={t('prompt')}
          note={
            sum('cachedTokens') > 0 && t('cached', { tokens: formatNumber(sum('cachedTokens')) })
          }
        >
          {formatNumber(sum('promptTokens'))}
        </Line>
        <Line
          term={t('reply')}
          note={
            sum('reasoningTokens') > 0 &&
            t('reasoning', { tokens: formatNumber(sum('reasoningTokens')) })
          }
        >
          {formatNumber(sum('completionTokens'))}
        </Line>
        {replies.length > 1 &&
          replies.map((entry) => <Attempt key={entry.attempt} entry={entry} />)}
        {backgroundOf(entries).map(([kind, used]) => (
          <Line key={kind} term={usageKindName(kind)}>
            {formatNumber(used)}
          </Line>
        ))}
        <Line
          term={t('total')}
          note={isDiscounted(entries) && t('cachedCountLess')}
          className="mt-1.5 border-t border-line pt-2.5 font-medium"
        >
          {formatNumber(tokens)}
        </Line>
      </dl>
      {replies.some(({ state }) => state === 'reserved') && (
        <p className="mt-2 text-xs text-muted">{t('stillCounted')}</p>
      )}
    </>
  );
}

const isDiscounted = (entries: readonly LedgerLine[]): boolean =>
  entries.some(
    ({ promptTokens, completionTokens, tokens }) => tokens < promptTokens + completionTokens,
  );

/** The settled background calls, summed by kind. */
function backgroundOf(entries: readonly LedgerLine[]): [UsageKind, number][] {
  const sums = new Map<UsageKind, number>();
  for (const entry of entries) {
    if (entry.kind === 'reply' || entry.state !== 'settled') continue;
    sums.set(entry.kind, (sums.get(entry.kind) ?? 0) + entry.tokens);
  }
  return [...sums];
}

const Attempt = ({ entry }: { entry: LedgerLine }) => (
  <Line term={t('attempt', { n: entry.attempt })} className="ps-3 text-xs">
    {entry.state === 'settled' ? formatNumber(entry.tokens) : t(NOT_SETTLED[entry.state])}
  </Line>
);

const NOT_SETTLED = {
  reserved: 'running',
  released: 'notCharged',
  expired: 'notCharged',
} as const;

interface LineProps {
  term: string;
  /** What the value contains. */
  note?: string | false;
  className?: string;
  children: ReactNode;
}

const Line = ({ term, note, className, children }: LineProps) => (
  <div className={cn('flex items-baseline justify-between gap-4', className)}>
    <dt className="shrink-0 text-muted">{term}</dt>
    <dd className="min-w-0 text-end break-words tabular-nums">
      {children}
      {note && <span className="block text-xs text-muted">{note}</span>}
    </dd>
  </div>
);
