import { lazyPart } from '../../ui/lazy-part.tsx';

export { PastDueBanner } from './account/past-due-banner.tsx';
export { UpgradeButton } from './upgrade/upgrade-button.tsx';

/** Loaded when the settings show it. */
export const BillingDetails = lazyPart(
  async () => (await import('./account/billing-details.tsx')).BillingDetails,
);
