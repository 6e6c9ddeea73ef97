import {
  type Config,
  planFeatures,
  publicUrl,
  showsMailedLinks,
  signInProviders,
  supportUrl,
} from '../../config.ts';

/** Settings for the page before its first request; `frontend/src/lib/page-settings.ts` reads them. */
export const pageValuesOf = (config: Config): Record<string, string> => ({
  PUBLIC_URL: publicUrl(config),
  LANDING_BADGES: config.LANDING_BADGES,
  LANDING_CLAIMS: config.LANDING_CLAIMS,
  PLAN_FEATURES: planFeatures(config),
  SUPPORT: supportUrl(config),
  SIGN_IN_PROVIDERS: signInProviders(config),
  PLANS: config.PLANS,
  MAILS: showsMailedLinks(config) ? 'folder' : 'server',
});
