import { t } from 'virtual:texts/personas';
import { GUEST_PERSONAS, planById, type User } from '@stolas/backend/contract';
import { Link } from 'wouter';
import { ApiError } from '../../lib/api.ts';
import { Button } from '../../ui/button.tsx';

/** Whether a call failed because the plan allows no further persona. */
export const isLimit = (error: unknown): boolean =>
  error instanceof ApiError && error.body?.code === 'persona_limit';

/** Personas of their own that the plan of a user allows; null: no number. Without a plan the server answers what to do. */
export function personaLimit({ subscriptionStatus, subscriptionPlan }: User): number | null {
  if (subscriptionStatus === 'guest') return GUEST_PERSONAS;
  return subscriptionPlan ? planById(subscriptionPlan).limits.personas : null;
}

/** The plan allows no further persona. Stands beside what was pressed, and is scrolled into view. */
export const LimitNotice = () => (
  <div
    role="alert"
    ref={(notice) => notice?.scrollIntoView?.({ block: 'nearest' })}
    className="scroll-mb-4 flex flex-wrap items-center justify-between gap-3 rounded-lg border border-line bg-surface p-4"
  >
    <p>{t('limit')}</p>
    <Button asChild>
      <Link href="/subscription?change=true">{t('seePlans')}</Link>
    </Button>
  </div>
);
