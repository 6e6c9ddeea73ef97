import type { Request } from 'express';
import { actorOf } from '../../../http/index.ts';
import type { SecurityLog } from '../../../security-log.ts';
import type { ProvenAccount } from '../takeover.ts';
import type { AtVersion } from '../user-record.ts';
import type { ProviderIdentity } from './identity.ts';

export interface FindAccountDeps {
  securityLog: SecurityLog;
  /** Finds, links or creates the account. @throws AppError email_unverified, provider_conflict */
  accountOf: (
    identity: ProviderIdentity,
    from: { presentedUserId?: string | undefined },
  ) => Promise<ProvenAccount>;
}

/** The account of an identity; records what the sign-in has changed about it. */
export async function findAccount(
  { accountOf, securityLog }: FindAccountDeps,
  { req, identity }: { req: Request; identity: ProviderIdentity },
): Promise<AtVersion> {
  const presented = await actorOf(req);
  const { user, ...change } = await accountOf(identity, { presentedUserId: presented?.userId });
  const { event, formerUserId } = change;
  const { provider: method } = identity;
  if (event) securityLog.record({ event, userId: user.id, formerUserId, ip: req.ip, method });
  return user;
}
