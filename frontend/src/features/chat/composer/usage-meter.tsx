import { t } from 'virtual:texts/chat';
import type { User } from '@stolas/backend/contract';
import { useState } from 'react';
import { Link } from 'wouter';
import { formatPercent, messagesOf, percentOf } from '../../../lib/number.ts';
import {
  canUpgrade,
  describeReset,
  spentOf,
  UPGRADE_PATH,
  USAGE_PATH,
  usedUpOf,
} from '../sending/quota.ts';

/** From here on the meter is shown, in percent of the plan's tokens. */
const SHOWN_FROM = 80;

/**
 * How much of the plan is used, above the composer; one line.
 * @param isBusy whether a message is being sent or a reply generated here: until then the line neither comes nor goes
 */
export function UsageMeter({ user, isBusy }: { user: User; isBusy: boolean }) {
  const spent = spentOf(user);
  const percent = spent ? percentOf(spent) : 0;
  const isDue = percent >= SHOWN_FROM || usedUpOf(user) === 'cap';
  const [isShown, setShown] = useState(isDue);
  if (!isBusy && isShown !== isDue) setShown(isDue);
  if (!spent || !isShown) return null;
  const cap = usedUpOf(user) === 'cap' ? user.usage?.cap : undefined;
  const { resetsAt } = cap ?? spent;
  const link =
    cap || !canUpgrade(user)
      ? { label: t(cap ? 'changeCap' : 'seeUsage'), path: USAGE_PATH }
      : { label: t('upgrade'), path: UPGRADE_PATH };

  return (
    <div
      data-usage-meter
      className="flex min-h-7 items-center gap-2 px-2 pb-1 text-xs text-muted pointer-coarse:min-h-11"
    >
      <Bar percent={cap ? 100 : percent} />
      <p className="min-w-0 truncate tabular-nums">
        {cap ? t('capUsedUpLine') : describeLeft(spent)}
        {resetsAt && ` · ${describeReset(resetsAt, 'line')}`}
      </p>
      <Link
        href={link.path}
        className="flex shrink-0 items-center rounded-sm font-medium text-cool underline-offset-4 hover:underline pointer-coarse:min-h-11"
      >
        {link.label}
      </Link>
    </div>
  );
}

/** In messages first: tokens say nothing to most users. */
function describeLeft({
  used,
  limit,
  tokensPerMessage,
}: NonNullable<ReturnType<typeof spentOf>>): string {
  if (used >= limit) return t('allUsedUp');
  return t('aboutLeft', {
    count: messagesOf(limit - used, tokensPerMessage),
    percent: formatPercent(percentOf({ used, limit })),
  });
}

const Bar = ({ percent }: { percent: number }) => (
  <span aria-hidden="true" className="h-1 w-12 shrink-0 overflow-hidden rounded-full bg-line">
    <span className="block h-full rounded-full bg-accent" style={{ width: `${percent}%` }} />
  </span>
);
