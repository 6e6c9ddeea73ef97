import type { Request } from 'express';
import { actorOf } from '../../../http/index.ts';
import type { AccountsFeature } from '../feature.ts';
import { findOrCreateAccount } from '../identities.ts';
import type { AtVersion } from '../user-record.ts';
import type { ProviderIdentity } from './identity.ts';

/** The account of an identity; records the changes that the sign-in made to it. */
export async function findAccount(
  accounts: AccountsFeature,
  { req, identity }: { req: Request; identity: ProviderIdentity },
): Promise<AtVersion> {
  const presented = (await actorOf(req)) ?? undefined;
  const proven = await findOrCreateAccount(accounts, identity, { presented });
  const { user, event, formerUserId } = proven;
  const record = { userId: user.id, formerUserId, ip: req.ip, method: identity.provider };
  if (event) accounts.securityLog.record({ event, ...record });
  return user;
}
