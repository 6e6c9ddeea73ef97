import { PLANS } from '@stolas/backend/contract';
import { Link } from 'wouter';
import { Button } from '../../ui/button.tsx';
import { cn } from '../../ui/cn.ts';

const [STARTER, PRO] = PLANS;
const OFFERS = [
  { plan: STARTER, action: 'Get Started', badge: undefined },
  { plan: PRO, action: 'Go Pro', badge: 'MOST POPULAR' },
];

export const Pricing = () => (
  <section aria-labelledby="pricing" className="pt-20 sm:pt-28">
    <div className="flex flex-wrap items-end justify-between gap-x-8 gap-y-2">
      <h2 id="pricing" className="text-xl font-semibold">
        Two plans
      </h2>
      <p className="text-sm text-muted">Annual billing saves 20%</p>
    </div>
    <div className="mt-10 grid gap-5 md:grid-cols-2">
      {OFFERS.map(({ plan, action, badge }) => (
        <section
          key={plan.id}
          aria-label={plan.name}
          className={cn(
            'flex flex-col justify-between gap-6 rounded-lg sm:flex-row sm:items-center border p-6 sm:p-8',
            badge ? 'border-accent bg-surface' : 'border-line',
          )}
        >
          <div>
            <h3 className="flex flex-wrap items-center gap-x-3 gap-y-1 text-lg font-semibold">
              {plan.name}
              {badge && (
                <span className="rounded-full bg-accent-soft px-3 py-1 text-xs tracking-wide text-accent">
                  {badge}
                </span>
              )}
            </h3>
            <p className="mt-3">
              <span className="text-xl font-semibold">${plan.price}</span>
              <span className="text-sm text-muted">/month</span>
            </p>
            <p className="mt-1 text-sm text-muted">{plan.features[0]}</p>
          </div>
          <Button asChild size="lg" variant={badge ? 'primary' : 'secondary'}>
            <Link href="/login">{action}</Link>
          </Button>
        </section>
      ))}
    </div>
  </section>
);
