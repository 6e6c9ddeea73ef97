import { t as tApp } from 'virtual:texts/app';
import { t } from 'virtual:texts/billing';
import type { ChangePreview } from '@stolas/backend/contract';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { userMessageOf } from '../../../lib/api.ts';
import { formatAmount } from '../../../lib/money.ts';
import { formatNumber } from '../../../lib/number.ts';
import { formatDay } from '../../../lib/time.ts';
import { Button } from '../../../ui/button.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';

interface ChargeProps {
  preview: UseQueryResult<ChangePreview>;
  /** More facts, once the amounts are known. */
  children?: (preview: ChangePreview) => ReactNode;
}

/** What a change of the plan charges today and later, as the payment provider says: never a guess. */
export function Charge({ preview, children }: ChargeProps) {
  const { data, error, isFetching, refetch } = preview;
  if (data) {
    return (
      <ul className="mt-4 grid list-disc gap-1.5 pl-5 text-sm">
        {factsOf(data).map((fact) => (
          <li key={fact}>{fact}</li>
        ))}
        {children?.(data)}
      </ul>
    );
  }
  if (isFetching || !error) {
    return (
      <output className="mt-4 block" aria-label={t('readingAmount')}>
        <Skeleton className="h-24" />
      </output>
    );
  }
  return (
    <div role="alert" className="mt-4 flex flex-wrap items-center justify-between gap-3 text-sm">
      <p className="min-w-0 flex-1 text-danger">{userMessageOf(error, t('amountFailed'))}</p>
      <Button size="sm" onClick={() => void refetch()}>
        {tApp('tryAgain')}
      </Button>
    </div>
  );
}

function factsOf({ when, amount, credit, tokens, next, currency }: ChangePreview): string[] {
  const charged = formatAmount(amount, currency);
  const later = { amount: formatAmount(next.amount, currency), date: formatDay(next.at) };
  return [
    when === 'periodEnd' ? t('nothingToday') : t('chargedToday', { amount: charged }),
    ...(credit > 0 ? [t('credit', { amount: formatAmount(credit, currency) })] : []),
    ...(tokens > 0 ? [t('tokensToday', { tokens: formatNumber(tokens) })] : []),
    t('nextCharge', later),
  ];
}
