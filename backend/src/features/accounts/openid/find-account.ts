import type { Request } from 'express';
import { actorOf } from '../../../http/index.ts';
import type { SecurityLog } from '../../../security-log.ts';
import type { ProviderSignIn } from '../identities.ts';
import type { AtVersion } from '../user-record.ts';
import type { ProviderIdentity } from './identity.ts';

export interface FindAccountDeps {
  securityLog: SecurityLog;
  /** Finds, links or creates the account. @throws AppError email_unverified, provider_conflict */
  accountOf: (
    identity: ProviderIdentity,
    from: { presentedUserId?: string | undefined },
  ) => Promise<ProviderSignIn>;
}

/** The account of an identity; records what the sign-in has changed about it. */
export async function findAccount(
  { accountOf, securityLog }: FindAccountDeps,
  { req, identity }: { req: Request; identity: ProviderIdentity },
): Promise<AtVersion> {
  const presented = await actorOf(req);
  const { user, event } = await accountOf(identity, { presentedUserId: presented?.userId });
  if (event) securityLog.record({ event, userId: user.id, ip: req.ip, method: identity.provider });
  return user;
}
