import { t } from 'virtual:texts/plans';
import {
  type BillingInterval,
  isSubscribed,
  mayChat,
  PLANS,
  type User,
} from '@stolas/backend/contract';
import { usePrefetchQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { Button } from '../../../ui/button.tsx';
import { lazyPart } from '../../../ui/lazy-part.tsx';
import { PastDueBanner } from '../account/past-due-banner.tsx';
import { TestMark } from '../account/test-mark.tsx';
import { latestConversationQuery, overviewQuery, plansQuery } from '../api.ts';
import { ChangeDialog } from './change-dialog.tsx';
import { choiceOf, currentOffer } from './choice.ts';
import { CurrentPlan } from './current-plan.tsx';
import { IntervalSwitch } from './interval-switch.tsx';
import { PlanCard } from './plan-card.tsx';
import { SubscriptionHeader } from './subscription-header.tsx';
import { useChoose } from './use-choose.ts';

const PaymentForm = lazyPart(async () => (await import('../payment/payment-form.tsx')).PaymentForm);

export function Plans({ user }: { user: User | null }) {
  const { data: overview } = useQuery({ ...overviewQuery, enabled: user !== null });
  usePrefetchQuery(plansQuery);
  const [params] = useSearchParams();
  const [chosen, setChosen] = useState<BillingInterval | null>(
    params.get('interval') === 'year' ? 'year' : null,
  );
  const interval = chosen ?? overview?.interval ?? 'month';
  const current = currentOffer(user, overview);
  const { choose, checkout, change, endChange } = useChoose(user, current);
  const { secrets, offer, pending } = checkout;

  return (
    <div className="min-h-dvh">
      <SubscriptionHeader user={user} />
      <main className="mx-auto max-w-4xl px-5 pt-6 pb-16">
        {secrets && offer ? (
          <PaymentForm offer={offer} secrets={secrets} onBack={checkout.reset} />
        ) : (
          <>
            <div className="relative mb-12 grid justify-items-center gap-1 text-center">
              <h1 className="text-xl font-semibold">{t('title')}</h1>
              <p className="text-muted">
                {t(interval === 'year' ? 'yearlyDollars' : 'monthlyDollars')}
              </p>
              <div className="mt-4">
                <IntervalSwitch value={interval} onChange={setChosen} />
              </div>
              {/* It arrives after the buttons, and must not move what the user is about to press. */}
              {overview?.isTest && (
                <TestMark className="absolute top-full left-1/2 mt-3 -translate-x-1/2 whitespace-nowrap" />
              )}
            </div>
            {user && <Standing user={user} overview={overview} />}
            {user && !mayChat(user) && <ReadLink />}
            <div className="grid gap-5 md:grid-cols-2">
              {PLANS.map((plan) => (
                <PlanCard
                  key={plan.id}
                  plan={plan}
                  interval={interval}
                  resumed={params.get('plan') === plan.id}
                  {...choiceOf({ plan: plan.id, interval }, { current, overview, pending })}
                  onChoose={() => choose({ plan: plan.id, interval })}
                />
              ))}
            </div>
          </>
        )}
      </main>
      {change && (
        <ChangeDialog
          {...change}
          periodEndsAt={overview?.periodEndsAt ?? null}
          onClose={endChange}
        />
      )}
    </div>
  );
}

/** Conversations stay readable without a plan. */
function ReadLink() {
  const { data: conversationId } = useQuery(latestConversationQuery);
  return (
    conversationId && (
      <p className="mb-6 text-center">
        <Button asChild>
          <Link href={`/?c=${encodeURIComponent(conversationId)}`}>{t('readConversations')}</Link>
        </Button>
      </p>
    )
  );
}

function Standing({ user, overview }: Parameters<typeof CurrentPlan>[0]) {
  const isPastDue = user.subscriptionStatus === 'past_due';
  const hasStanding = isSubscribed(user) || user.subscriptionStatus === 'guest';
  return (
    <>
      {isPastDue && <PastDueBanner user={user} className="mb-3" />}
      {hasStanding && <CurrentPlan user={user} overview={overview} />}
    </>
  );
}
