import {
  type Badge,
  type Claim,
  DEFAULT_LANDING_BADGES,
  DEFAULT_LANDING_CLAIMS,
  DEFAULT_PLAN_FEATURES,
  featureState,
  NO_ENTRY,
  type PlanDescription,
  type SignInProvider,
  SOON,
} from '@stolas/backend/contract';

/** A setting that the server writes into the page; `fallback` where no server did (Vite's own). */
export function settingOf(name: string, fallback: string): string {
  const content = document.querySelector<HTMLMetaElement>(`meta[name=${name}]`)?.content;
  return !content || content.startsWith('%') ? fallback : content;
}

function entriesOf(name: string, fallback: string): string[] {
  const text = settingOf(name, fallback);
  return text === NO_ENTRY ? [] : text.split(',');
}

export const shownBadges = (): Badge[] =>
  entriesOf('landing-badges', DEFAULT_LANDING_BADGES) as Badge[];

export interface ShownClaim {
  claim: Claim;
  /** The product does not do it yet. */
  isSoon: boolean;
}

export const shownClaims = (): ShownClaim[] =>
  entriesOf('landing-claims', DEFAULT_LANDING_CLAIMS).map((entry) => ({
    claim: entry.replace(SOON, '') as Claim,
    isSoon: entry.endsWith(SOON),
  }));

export interface Contact {
  href: string;
  /** The address without its protocol. */
  label: string;
}

/** Where users get help; null when the operator names no address. */
export function supportContact(): Contact | null {
  const href = settingOf('support', '');
  return href === '' ? null : { href, label: href.replace(/^(mailto:|https?:\/\/)/, '') };
}

/** The providers that the operator has set up. */
export const signInProviders = (): SignInProvider[] =>
  entriesOf('sign-in-providers', NO_ENTRY) as SignInProvider[];

/** Whether mails are written into a folder of this machine, whose pages then show their links; never in production. */
export const hasMailFolder = (): boolean => settingOf('mails', 'server') === 'folder';

/** Whether users need a plan; without plans there is nothing to choose or to buy. */
export const hasPlans = (): boolean => settingOf('plans', 'on') !== 'off';

export interface ShownFeature {
  text: string;
  /** The plan does not have it yet. */
  isSoon: boolean;
  contact: Contact | null;
}

/** The features of a plan that the operator shows (`PLAN_FEATURES`), those to come last. */
export function shownFeatures({ features }: Pick<PlanDescription, 'features'>): ShownFeature[] {
  const setting = settingOf('plan-features', DEFAULT_PLAN_FEATURES);
  const contact = supportContact();
  const inState = (wanted: 'available' | 'soon') =>
    features
      .filter((feature) => featureState(feature, setting) === wanted)
      .filter(({ id }) => id !== 'support' || contact !== null)
      .map(({ text, id }) => ({
        text,
        isSoon: wanted === 'soon',
        contact: id === 'support' ? contact : null,
      }));
  return [...inState('available'), ...inState('soon')];
}
