import { t } from 'virtual:texts/plans';
import {
  type BillingInterval,
  type PlanDescription,
  TOKENS_PER_MESSAGE,
  TOKENS_PER_SHORT_MESSAGE,
} from '@stolas/backend/contract';
import { fromServer } from '../../../i18n/translate.ts';
import { formatDollars } from '../../../lib/money.ts';
import { formatNumber, messagesOf } from '../../../lib/number.ts';
import { shownFeatures } from '../../../lib/page-settings.ts';
import { Button } from '../../../ui/button.tsx';
import { cn } from '../../../ui/cn.ts';
import { FeatureList } from '../../../ui/feature-list.tsx';
import { priceOf } from '../offer.ts';

interface PlanCardProps {
  plan: PlanDescription;
  interval: BillingInterval;
  /** The label of the button. */
  action: string;
  disabled: boolean;
  busy: boolean;
  /** The user was about to choose this plan: its button takes the focus. */
  resumed: boolean;
  onChoose: () => void;
}

export function PlanCard({ plan, interval, action, resumed, onChoose, ...state }: PlanCardProps) {
  const { name, description, recommended, limits } = plan;
  return (
    <section
      aria-label={name}
      className={cn(
        'flex flex-col rounded-lg border p-6 sm:p-8',
        recommended ? 'border-accent bg-surface' : 'border-line',
      )}
    >
      <div className="flex items-center justify-between gap-3">
        <h2 className="text-lg font-semibold">{name}</h2>
        {recommended && (
          <span className="rounded-full bg-accent-soft px-3 py-1 text-xs font-semibold tracking-wide text-accent">
            {t('recommended')}
          </span>
        )}
      </div>
      <p className="mt-1 text-sm text-muted">{fromServer(description)}</p>
      <Price plan={plan} interval={interval} />
      <p className="mt-3 text-sm text-muted">
        {t('inMessages', {
          questions: formatNumber(messagesOf(limits.tokensPerMonth, TOKENS_PER_MESSAGE)),
          short: formatNumber(messagesOf(limits.tokensPerMonth, TOKENS_PER_SHORT_MESSAGE)),
        })}
      </p>
      <FeatureList
        features={shownFeatures(plan).map((one) => ({ ...one, text: fromServer(one.text) }))}
        soonLabel={t('soon')}
      />
      <Button
        variant={recommended ? 'primary' : 'secondary'}
        size="lg"
        className="mt-auto"
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- the user has just been sent back to it
        autoFocus={resumed}
        onClick={onChoose}
        {...state}
      >
        {action}
      </Button>
    </section>
  );
}

function Price({ plan, interval }: { plan: PlanDescription; interval: BillingInterval }) {
  const isYearly = interval === 'year';
  const byMonth = formatDollars(plan.yearlyPrice / 12);
  return (
    <div className="mt-5">
      <p>
        <span className="text-xl font-semibold">{priceOf({ plan: plan.id, interval })}</span>
        <span className="text-sm text-muted">{isYearly ? t('perYear') : t('perMonth')}</span>
      </p>
      <p className="text-sm text-muted">
        {isYearly ? t('billedYearly', { price: byMonth }) : t('billedMonthly')}
      </p>
    </div>
  );
}
