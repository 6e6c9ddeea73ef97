import {
  type Badge,
  type Claim,
  DEFAULT_LANDING_BADGES,
  DEFAULT_LANDING_CLAIMS,
  NO_ENTRY,
  SOON,
} from '@stolas/backend/contract';

/** The entries of a setting that the server writes into the page; `fallback` where no server did (Vite's own). */
function entriesOf(name: string, fallback: string): string[] {
  const content = document.querySelector<HTMLMetaElement>(`meta[name=${name}]`)?.content;
  const text = !content || content.startsWith('%') ? fallback : content;
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
