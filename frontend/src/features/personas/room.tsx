import { t } from 'virtual:texts/personas';
import { GUEST_PERSONAS, type PersonaSummary, planById, type User } from '@stolas/backend/contract';
import { Link } from 'wouter';
import { useUser } from '../auth/index.ts';
import { sharedBy } from '../grants/index.ts';

/**
 * The number of personas that the user's plan allows; null without a limit. Without a plan the server answers what to
 * do.
 */
function personaLimit({ subscriptionStatus, subscriptionPlan }: User): number | null {
  if (subscriptionStatus === 'guest') return GUEST_PERSONAS;
  return subscriptionPlan ? planById(subscriptionPlan).limits.personas : null;
}

/** The number of the user's personas, and the limit of the plan; null without a limit. */
export function useRoom(
  personas: readonly PersonaSummary[],
): { count: number; limit: number } | null {
  const { user } = useUser();
  const limit = user ? personaLimit(user) : null;
  return limit === null
    ? null
    : { count: personas.filter((one) => !one.isReadyMade && sharedBy(one) === null).length, limit };
}

/** Says before a form is filled in whether it can be saved. */
export function Room({ personas }: { personas: readonly PersonaSummary[] }) {
  const room = useRoom(personas);
  if (!room) return null;
  return (
    <p className="mt-2 text-sm text-muted">
      <span className="tabular-nums">{t('used', room)}</span>
      {room.count >= room.limit && (
        <>
          {'. '}
          <span className="text-ink">{t('full')}</span>{' '}
          <Link
            href="/subscription?change=true"
            className="rounded-sm text-cool underline underline-offset-4"
          >
            {t('seePlans')}
          </Link>
        </>
      )}
    </p>
  );
}
