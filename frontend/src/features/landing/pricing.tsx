import { t } from 'virtual:texts/landing';
import { PLANS } from '@stolas/backend/contract';
import { Link } from 'wouter';
import { fromServer } from '../../i18n/translate.ts';
import { formatDollars } from '../../lib/money.ts';
import { shownFeatures } from '../../lib/page-settings.ts';
import { Button } from '../../ui/button.tsx';
import { cn } from '../../ui/cn.ts';
import { FeatureList } from '../../ui/feature-list.tsx';

/** The page of the plans lists all of them. */
const FEATURES_SHOWN = 4;

export const Pricing = () => (
  <section aria-labelledby="pricing" className="pt-20 sm:pt-28">
    <div className="flex flex-wrap items-end justify-between gap-x-8 gap-y-2">
      <h2 id="pricing" className="text-xl font-semibold">
        {t('pricing')}
      </h2>
      <p className="text-sm text-muted">{t('annual')}</p>
    </div>
    <div className="mt-10 grid gap-5 md:grid-cols-2">
      {PLANS.map((plan) => (
        <section
          key={plan.id}
          aria-label={plan.name}
          className={cn(
            'flex flex-col rounded-lg border p-6 sm:p-8',
            plan.recommended ? 'border-accent bg-surface' : 'border-line',
          )}
        >
          <div className="flex items-center justify-between gap-3">
            <h3 className="text-lg font-semibold">{plan.name}</h3>
            {plan.recommended && (
              <span className="rounded-full bg-accent-soft px-3 py-1 text-xs font-semibold tracking-wide text-accent">
                {t('popular')}
              </span>
            )}
          </div>
          <p className="mt-1 text-sm text-muted">{fromServer(plan.description)}</p>
          <p className="mt-5">
            <span className="text-xl font-semibold">{formatDollars(plan.price)}</span>
            <span className="text-sm text-muted">{t('perMonth')}</span>
          </p>
          <FeatureList
            features={shownFeatures(plan)
              .slice(0, FEATURES_SHOWN)
              .map((one) => ({ ...one, text: fromServer(one.text) }))}
            soonLabel={t('soon')}
          />
          <Button
            asChild
            size="lg"
            variant={plan.recommended ? 'primary' : 'secondary'}
            className="mt-auto"
          >
            <Link href={`/login?register=true&plan=${plan.id}`}>
              {plan.recommended ? t('getPro') : t('getStarter')}
            </Link>
          </Button>
        </section>
      ))}
    </div>
    <p className="mt-5 text-center text-sm text-muted">
      <Link
        href="/subscription"
        className="inline-flex items-center rounded-sm px-2 py-1 text-cool underline-offset-4 hover:underline pointer-coarse:min-h-11"
      >
        {t('compare')}
      </Link>
    </p>
  </section>
);
