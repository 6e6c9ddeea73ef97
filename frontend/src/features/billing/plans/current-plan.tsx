import { t } from 'virtual:texts/plans';
import {
  type BillingOverview,
  isSubscribed,
  PLANS,
  planById,
  type User,
} from '@stolas/backend/contract';
import { CircleAlert, CircleCheck } from 'lucide-react';
import { formatDay } from '../../../lib/time.ts';
import { Banner } from '../../../ui/banner.tsx';
import { cn } from '../../../ui/cn.ts';

interface CurrentPlanProps {
  user: User;
  overview: BillingOverview | undefined;
}

/** The user's plan, and its next change. */
export function CurrentPlan({ user, overview }: CurrentPlanProps) {
  const state = stateOf(user);
  const isGood = state === 'active';
  const Icon = isGood ? CircleCheck : CircleAlert;
  const next = overview && nextOf(overview);
  return (
    <Banner
      tone={isGood ? 'success' : 'warning'}
      icon={<Icon aria-hidden="true" />}
      className="mb-6"
      action={
        <span
          className={cn(
            'rounded-full border px-2.5 py-0.5 text-xs font-semibold',
            isGood ? 'border-success text-success' : 'border-accent text-accent',
          )}
        >
          {t(state)}
        </span>
      }
    >
      <p>{t('current', { plan: planName(user) })}</p>
      {next && <p className="text-muted">{next}</p>}
    </Banner>
  );
}

function stateOf({ subscriptionStatus, demo }: User): 'active' | 'due' | 'usedUp' {
  if (subscriptionStatus === 'past_due') return 'due';
  return demo && (demo.messagesLeft === 0 || demo.tokensLeft === 0) ? 'usedUp' : 'active';
}

function nextOf({ cancelsAt, pendingChange }: BillingOverview): string | null {
  if (cancelsAt !== null) return t('endsOn', { date: formatDay(cancelsAt) });
  if (!pendingChange) return null;
  const { plan, at } = pendingChange;
  return t('changesOn', { plan: planById(plan).name, date: formatDay(at) });
}

// An active subscription without a plan counts as Starter (docs/product.md, 'Screens').
export function planName(user: User): string {
  if (!isSubscribed(user)) return t('demo');
  return user.subscriptionPlan ? planById(user.subscriptionPlan).name : PLANS[0].name;
}
