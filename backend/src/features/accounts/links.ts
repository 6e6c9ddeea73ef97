import { AppError } from '../../errors.ts';
import type { AccountsFeature } from './feature.ts';
import type { LinkPurpose, LinkRecord } from './link-model.ts';
import { hashOf, newSecret } from './secrets.ts';

const HOUR_MS = 60 * 60_000;
/** Lifetime of a mailed link. */
export const LINK_HOURS: Record<LinkPurpose, number> = { confirm: 24, reset: 1 };

type LinkParts = Pick<AccountsFeature, 'links' | 'now'>;

/** Makes a link for one email address of one account and returns its secret, which is stored nowhere; earlier links of this purpose end. */
export async function makeLink(
  { links, now }: LinkParts,
  purpose: LinkPurpose,
  link: LinkRecord,
): Promise<string> {
  const secret = newSecret();
  const expiresAt = new Date(now().getTime() + LINK_HOURS[purpose] * HOUR_MS);
  await links.replace({ ...link, purpose, tokenHash: hashOf(secret), expiresAt });
  return secret;
}

const open =
  (how: 'find' | 'take') =>
  async ({ links, now }: LinkParts, purpose: LinkPurpose, secret: string): Promise<LinkRecord> => {
    const link = await links[how]({ tokenHash: hashOf(secret), purpose, now: now() });
    if (link) return link;
    throw new AppError('not_found', 'This link was used already or is too old. Ask for a new one.');
  };

/** @throws AppError not_found when the link is used up, expired or unknown */
export const readLink = open('find');

/** Uses the link up. @throws as `readLink` does */
export const takeLink = open('take');
