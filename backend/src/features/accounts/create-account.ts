import type { Actor } from '../../access/index.ts';
import type { AccountsFeature } from './feature.ts';
import { endAllSessions } from './sessions.ts';
import type { Registration, UserRecord } from './user-record.ts';

/** The session at the time of a registration or of a proof of identity; a guest's account becomes the registered one. */
export interface Presented {
  presented?: Pick<Actor, 'userId' | 'sessionId'> | null | undefined;
}

/**
 * Creates a registered account: the presented guest's with its content, else a new one. The guest's other sessions end, because somebody
 * who used the same browser before may have them.
 * @throws IdentityTakenError
 */
export async function createAccount(
  accounts: AccountsFeature,
  registration: Registration,
  { presented }: Presented,
): Promise<UserRecord> {
  const user = await accounts.users.register(registration, { presented, now: accounts.now() });
  if (presented && user.id === presented.userId)
    await endAllSessions(accounts, user.id, { except: presented.sessionId });
  return user;
}
