import { lazy } from 'react';

export { PastDueBanner } from './account/past-due-banner.tsx';
export { UpgradeButton } from './upgrade/upgrade-button.tsx';

/** Loaded when the settings show it. */
export const BillingDetails = lazy(async () => ({
  default: (await import('./account/billing-details.tsx')).BillingDetails,
}));
