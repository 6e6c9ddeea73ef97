import { t } from 'virtual:texts/chat';
import type { DemoAllowance, User } from '@stolas/backend/contract';
import { Sparkles } from 'lucide-react';
import { Link } from 'wouter';
import { formatNumber } from '../../lib/number.ts';
import { Banner } from '../../ui/banner.tsx';
import { isDemoUsedUp } from './sending/quota.ts';

/** Counts what is left of the demo (docs/product.md, 'Limits'). */
export function DemoBanner({ user }: { user: User }) {
  const { demo } = user;
  return (
    <Banner
      tone="warning"
      icon={<Sparkles aria-hidden="true" />}
      className="rounded-none py-1.5"
      action={
        <Link
          href="/subscription"
          className="flex items-center rounded-sm font-medium text-cool underline-offset-4 hover:underline pointer-coarse:min-h-11"
        >
          {t('choosePlan')}
        </Link>
      }
    >
      <span className="font-medium">{t('demoMode')}</span>
      <span className="text-muted">
        {' · '}
        {isDemoUsedUp(user) ? t('allUsedUp') : demo && describeAllowance(demo)}
      </span>
    </Banner>
  );
}

const describeAllowance = ({ messagesLeft, tokensLeft }: DemoAllowance): string =>
  t('demoLeft', { messages: messagesLeft, tokens: formatNumber(tokensLeft) });
