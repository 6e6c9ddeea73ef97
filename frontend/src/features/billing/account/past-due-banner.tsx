import { t } from 'virtual:texts/billing';
import type { User } from '@stolas/backend/contract';
import { useQuery } from '@tanstack/react-query';
import { CreditCard } from 'lucide-react';
import { formatDay } from '../../../lib/time.ts';
import { Banner } from '../../../ui/banner.tsx';
import { Button } from '../../../ui/button.tsx';
import { overviewQuery } from '../api.ts';
import { usePortal } from './use-billing-action.ts';

interface PastDueBannerProps {
  user: User;
  className?: string;
}

/** A renewal was not paid: what to do, and by when (docs/product.md, 'Subscription'). */
export function PastDueBanner({ user, className }: PastDueBannerProps) {
  const { data: overview, isPending } = useQuery(overviewQuery);
  const { run, isPending: isOpening } = usePortal();
  if (isPending) return null;
  const until = overview?.pastDue && formatDay(overview.pastDue.graceEndsAt);
  return (
    <div role="alert">
      <Banner
        tone="danger"
        icon={<CreditCard aria-hidden="true" />}
        className={className ?? ''}
        action={
          <Button size="sm" onClick={run} busy={isOpening}>
            {t('updateCard')}
          </Button>
        }
      >
        {textFor(user, until)}
      </Banner>
    </div>
  );
}

function textFor({ subscriptionPlan }: User, until: string | null | undefined): string {
  if (subscriptionPlan === null) return t('paused');
  return until ? t('pastDueBy', { date: until }) : t('pastDue');
}
