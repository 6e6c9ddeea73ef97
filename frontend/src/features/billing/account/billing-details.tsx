import { t } from 'virtual:texts/subscription';
import { type BillingOverview, type PlanId, planById, type User } from '@stolas/backend/contract';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { formatAmount } from '../../../lib/money.ts';
import { formatDay } from '../../../lib/time.ts';
import { Button } from '../../../ui/button.tsx';
import { Row } from '../../../ui/row.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { ErrorState } from '../../../ui/states.tsx';
import { overviewQuery, previewQuery, resumePlan } from '../api.ts';
import { type Offer, priceOf } from '../offer.ts';
import { CancelPlan } from './cancel-plan.tsx';
import { Invoices } from './invoices.tsx';
import { PastDueBanner } from './past-due-banner.tsx';
import { TestMark } from './test-mark.tsx';
import { usePortal, useSubscriptionChange } from './use-billing-action.ts';

/** The plan, what happens to it next, and the invoices (docs/product.md, 'Settings'). */
export function BillingDetails({ user }: { user: User }) {
  if (user.subscriptionStatus === 'guest') return <DemoRow user={user} />;
  return <Subscription user={user} />;
}

function DemoRow({ user: { demo } }: { user: User }) {
  const left = demo && t('demoLeft', { left: demo.messagesLeft, limit: demo.messageLimit });
  return (
    <Row label={t('demo')} value={left ?? t('demoLimited')}>
      <PlansLink>{t('choose')}</PlansLink>
    </Row>
  );
}

const PlansLink = ({ children }: { children: string }) => (
  <Button asChild>
    <Link href="/subscription?change=true">{children}</Link>
  </Button>
);

function Subscription({ user }: { user: User }) {
  const { data: overview, error, refetch } = useQuery(overviewQuery);
  if (!overview) {
    return error ? (
      <ErrorState title={t('notRead')} onRetry={() => void refetch()} />
    ) : (
      <Skeleton className="h-12" />
    );
  }
  const { plan, interval, hasCustomer, isTest } = overview;
  return (
    <>
      {isTest && <TestMark className="justify-self-start" />}
      {user.subscriptionStatus === 'past_due' && <PastDueBanner user={user} />}
      {plan === null ? (
        <Row label={t('none')} value={t('noneLine')}>
          <PlansLink>{t('choose')}</PlansLink>
        </Row>
      ) : (
        <>
          <Row
            label={t('plan', { plan: planById(plan).name })}
            value={
              interval ? <Billed overview={overview} offer={{ plan, interval }} /> : t('active')
            }
          >
            <PlansLink>{t('change')}</PlansLink>
          </Row>
          <Next overview={overview} plan={plan} />
        </>
      )}
      {hasCustomer && (
        <>
          <div className="flex flex-wrap gap-2">
            <ManagePayment />
            {plan !== null && interval !== null && overview.cancelsAt === null && (
              <CancelPlan plan={plan} periodEndsAt={overview.periodEndsAt} />
            )}
          </div>
          <Invoices />
        </>
      )}
    </>
  );
}

/** How the plan is paid, and the next payment, which credit reduces. */
function Billed({ overview, offer }: { overview: BillingOverview; offer: Offer }) {
  const { periodEndsAt, cancelsAt, pendingChange, pastDue } = overview;
  const { plan, interval } = pendingChange ?? offer;
  const isCharged = cancelsAt === null && periodEndsAt !== null;
  // A subscription with an unpaid renewal has no credit, and no preview.
  const hasPreview = isCharged && pastDue === null;
  const { data } = useQuery({ ...previewQuery({ plan, interval }), enabled: hasPreview });
  const billed = t(offer.interval === 'year' ? 'yearly' : 'monthly');
  if (!isCharged) return billed;
  const isReduced = data?.when === 'periodEnd' && data.credit > 0;
  const price = isReduced
    ? formatAmount(data.next.amount, data.currency)
    : priceOf({ plan, interval });
  return t('nextCharge', { billed, price, date: formatDay(periodEndsAt) });
}

/** A scheduled cancellation or change, and a way to take it back. */
function Next({ overview, plan }: { overview: BillingOverview; plan: PlanId }) {
  const { cancelsAt, pendingChange } = overview;
  const { name } = planById(plan);
  if (cancelsAt !== null) {
    return (
      <Reversible
        text={t('ends', { date: formatDay(cancelsAt) })}
        action={t('keepMine')}
        run={resumePlan}
      />
    );
  }
  if (!pendingChange) return null;
  const next = { plan: planById(pendingChange.plan).name, date: formatDay(pendingChange.at) };
  return (
    <Reversible
      text={t(pendingChange.interval === 'year' ? 'changesYearly' : 'changesMonthly', next)}
      action={t('keep', { plan: name })}
      run={resumePlan}
    />
  );
}

interface ReversibleProps {
  text: ReactNode;
  action: string;
  run: () => Promise<BillingOverview>;
}

function Reversible({ text, action, run }: ReversibleProps) {
  const change = useSubscriptionChange({ run, failed: t('notChanged') });
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 rounded-sm bg-accent-soft px-4 py-2.5">
      <p className="text-sm">{text}</p>
      <Button size="sm" busy={change.isPending} onClick={change.run}>
        {action}
      </Button>
    </div>
  );
}

function ManagePayment() {
  const { run, isPending } = usePortal();
  return (
    <Button busy={isPending} onClick={run}>
      {t('manage')}
    </Button>
  );
}
