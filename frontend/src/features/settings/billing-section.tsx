import type { User } from '@stolas/backend/contract';
import { Suspense } from 'react';
import { t } from '../../i18n/settings.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { BillingDetails } from '../billing/index.ts';
import { Section } from './section.tsx';

export const BillingSection = ({ user }: { user: User }) => (
  <Section title={t('billing')}>
    <Suspense fallback={<Skeleton className="h-12" />}>
      <BillingDetails user={user} />
    </Suspense>
  </Section>
);
