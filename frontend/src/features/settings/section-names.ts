import { t as dataExport } from 'virtual:texts/dataExport';
import { t } from 'virtual:texts/settings';
import type { User } from '@stolas/backend/contract';
import { hasPlans } from '../../lib/page-settings.ts';

/** A section of Settings. Its id is its address in the page: `/settings#<id>`. */
interface SectionName {
  id: SectionId;
  label: string;
}

export type SectionId =
  | 'account'
  | 'profile'
  | 'email'
  | 'password'
  | 'billing'
  | 'usage'
  | 'appearance'
  | 'keyboard'
  | 'links'
  | 'import'
  | 'export'
  | 'sessions'
  | 'delete';

/** The sections that a user has, in their order. */
export function sectionsFor(user: User): SectionName[] {
  const isGuest = user.subscriptionStatus === 'guest';
  const ids: SectionId[] = [
    ...(isGuest ? (['account'] as const) : (['profile', 'email', 'password'] as const)),
    ...(hasPlans() ? (['billing'] as const) : []),
    'usage',
    'appearance',
    'keyboard',
    // Guests make no links, and their data is deleted with the demo.
    ...(isGuest ? [] : (['links', 'import'] as const)),
    'export',
    'sessions',
    'delete',
  ];
  return ids.map((id) => ({ id, label: id === 'export' ? dataExport('nav') : t(id) }));
}
