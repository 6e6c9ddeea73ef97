import { isSubscribed, type User } from '@stolas/backend/contract';
import { CircleCheck } from 'lucide-react';
import { useLocation, useSearchParams } from 'wouter';
import { Banner } from '../../ui/banner.tsx';
import { toast } from '../../ui/toast-store.ts';
import { useUser } from '../auth/index.ts';
import { PlanCard } from './plan-card.tsx';
import { PLANS, type Plan } from './plans.ts';
import { SubscriptionHeader } from './subscription-header.tsx';

/** /subscription (docs/product.md, 'Subscription'). */
export function SubscriptionPage() {
  const { user } = useUser();
  const [, navigate] = useLocation();
  const [params] = useSearchParams();

  const choose = ({ id }: Plan) => {
    if (user?.subscriptionStatus === 'guest') navigate(`/login?plan=${id}`);
    else if (user) toast({ title: 'Payments are not set up on this server yet.' });
    else
      toast({
        variant: 'destructive',
        title: 'Authentication Required',
        description: 'Please log in to subscribe to a plan.',
      });
  };

  return (
    <div className="min-h-dvh">
      <SubscriptionHeader user={user} />
      <main className="mx-auto max-w-4xl px-5 pt-6 pb-16">
        <div className="mb-8 text-center">
          <h1 className="text-xl font-semibold">Choose Your Plan</h1>
          <p className="mt-1 text-muted">Billed monthly, in US dollars.</p>
        </div>
        {user?.subscriptionStatus && <CurrentPlan user={user} />}
        <div className="grid gap-5 md:grid-cols-2">
          {PLANS.map((plan) => (
            <PlanCard
              key={plan.id}
              plan={plan}
              current={user?.subscriptionPlan === plan.id}
              resumed={params.get('plan') === plan.id}
              onChoose={() => choose(plan)}
            />
          ))}
        </div>
      </main>
    </div>
  );
}

function CurrentPlan({ user }: { user: User }) {
  return (
    <Banner
      tone="success"
      icon={<CircleCheck aria-hidden="true" />}
      className="mb-6"
      action={
        <span className="rounded-full border border-success px-2.5 py-0.5 text-xs font-semibold text-success">
          Active
        </span>
      }
    >
      Current Plan: {planName(user)}
    </Banner>
  );
}

// An active subscription without a plan counts as Starter (docs/product.md, 'Screens').
function planName(user: User): string {
  if (!isSubscribed(user)) return 'Demo';
  return PLANS.find(({ id }) => id === user.subscriptionPlan)?.name ?? PLANS[0].name;
}
