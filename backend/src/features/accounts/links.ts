import { AppError } from '../../errors.ts';
import type { LinkPurpose, LinkRecord, LinkStore } from './link-model.ts';
import { hashOf, newSecret } from './secrets.ts';

const HOUR_MS = 60 * 60_000;
/** How long a mailed link works. */
export const LINK_HOURS: Record<LinkPurpose, number> = { confirm: 24, reset: 1 };

export interface LinksDeps {
  links: LinkStore;
  now: () => Date;
}

/** Mailed links: each is for one address of one account and works once. */
export type Links = ReturnType<typeof createLinks>;

export function createLinks({ links, now }: LinksDeps) {
  const lookup = (secret: string, purpose: LinkPurpose) => ({
    tokenHash: hashOf(secret),
    purpose,
    now: now(),
  });

  return {
    /** Makes a link and returns its secret, the only time it is seen; earlier links of this purpose end. */
    make: async (purpose: LinkPurpose, link: LinkRecord): Promise<string> => {
      const secret = newSecret();
      const expiresAt = new Date(now().getTime() + LINK_HOURS[purpose] * HOUR_MS);
      await links.replace({ ...link, purpose, tokenHash: hashOf(secret), expiresAt });
      return secret;
    },

    /** @throws AppError not_found when the link is used up, expired or unknown */
    read: async (secret: string, purpose: LinkPurpose): Promise<LinkRecord> =>
      (await links.find(lookup(secret, purpose))) ?? rejectLink(),

    /** Uses the link up. @throws as `read` does */
    take: async (secret: string, purpose: LinkPurpose): Promise<LinkRecord> =>
      (await links.take(lookup(secret, purpose))) ?? rejectLink(),

    removeAllOf: links.removeAllOf,
  };
}

function rejectLink(): never {
  throw new AppError('not_found', 'This link was used already or is too old. Ask for a new one.');
}
