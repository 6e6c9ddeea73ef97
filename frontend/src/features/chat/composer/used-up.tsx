import { t } from 'virtual:texts/chat';
import type { User } from '@stolas/backend/contract';
import { Link } from 'wouter';
import { Button } from '../../../ui/button.tsx';
import { describePoolUsedUp, type Paying } from '../sending/payer.ts';
import {
  canUpgrade,
  describeSpent,
  spentOf,
  UPGRADE_PATH,
  USAGE_PATH,
  type UsedUp,
} from '../sending/quota.ts';

interface Panel {
  title: string;
  text: string;
  link?: { label: string; path: string };
}

interface UsedUpPanelProps {
  user: User;
  usedUp: NonNullable<Paying['usedUp']>;
  paying: Paying;
}

/** Says that nothing can be sent and what to do. Replaces an empty composer, and stands above a composer with text. */
export function UsedUpPanel({ user, usedUp, paying: { workspace } }: UsedUpPanelProps) {
  const { title, text, link } =
    usedUp === 'pool' || usedUp === 'poolCap' || usedUp === 'poolClosed'
      ? poolPanel(usedUp, workspace)
      : panelOf(user, usedUp);
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-3 rounded-lg border border-line bg-raised px-4 py-3">
      <p className="min-w-0 flex-[1_1_14rem] text-sm text-pretty">
        <span className="font-medium">{title}</span> <span className="text-muted">{text}</span>
      </p>
      {link && (
        <Button asChild variant="primary">
          <Link href={link.path}>{link.label}</Link>
        </Button>
      )}
    </div>
  );
}

const poolPanel = (
  usedUp: Exclude<Paying['usedUp'], UsedUp | undefined>,
  workspace: Paying['workspace'],
): Panel => ({
  title: workspace?.name ?? '',
  text:
    usedUp === 'poolClosed'
      ? t('poolClosed')
      : describePoolUsedUp(usedUp === 'poolCap', workspace?.pool.resetsAt ?? null),
});

function panelOf(user: User, usedUp: UsedUp): Panel {
  const choose = { label: t('choosePlan'), path: '/subscription' };
  if (usedUp === 'noPlan') {
    // The banner above the conversation leads to the card.
    return user.subscriptionStatus === 'past_due'
      ? { title: t('planPausedTitle'), text: t('planPausedText') }
      : { title: t('noPlanTitle'), text: t('noPlanText'), link: choose };
  }
  const spent = spentOf(user);
  if (usedUp === 'demo' || !spent)
    return {
      title: t('demoUsedUpTitle'),
      text: t('demoUsedUpText'),
      link: choose,
    };
  if (usedUp === 'cap' && user.usage?.cap)
    return {
      title: t('capUsedUpTitle'),
      text: describeSpent(user.usage.cap, 'spentToday'),
      link: { label: t('changeCap'), path: USAGE_PATH },
    };
  return {
    title: t('allUsedUpTitle'),
    text: describeSpent(spent, 'spentThisMonth'),
    ...(canUpgrade(user) && { link: { label: t('upgrade'), path: UPGRADE_PATH } }),
  };
}
