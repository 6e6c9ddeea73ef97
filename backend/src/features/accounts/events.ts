import { setTimeout as sleep } from 'node:timers/promises';
import { coalesce } from './coalesce.ts';
import type { AccountsFeature } from './feature.ts';
import { presentUser } from './present.ts';
import type { SessionRef } from './session-model.ts';
import type { UserRecord } from './user-record.ts';

/** Changes of usage within this time are published once. */
const USAGE_PAUSE_MS = 250;

/** Publishes a changed account to its user's tabs. */
export async function publishAccount(
  accounts: Pick<AccountsFeature, 'bus' | 'others'>,
  user: UserRecord,
): Promise<void> {
  const isGuest = user.subscriptionStatus === 'guest';
  const plan = await accounts.others.usage.readPlan({ userId: user.id, isGuest });
  await accounts.bus.publish(user.id, 'account:changed', presentUser(user, plan));
}

/** Reads an account and publishes it after a change of the account, its plan or its usage. */
export async function publishAccountOf(
  accounts: Pick<AccountsFeature, 'bus' | 'others' | 'users'>,
  userId: string,
): Promise<void> {
  const user = await accounts.users.find(userId);
  if (user) await publishAccount(accounts, user);
}

/** Publishes usage in the background: the used quota of the plan or the remaining demo quota. */
export const createUsagePublisher = (accounts: AccountsFeature) =>
  coalesce((userId) => publishAccountOf(accounts, userId), {
    onError: (error, userId) => accounts.log.warn({ err: error, userId }, 'usage not published'),
    // Publishing must not delay a send, which begins with its reservation.
    pause: () => sleep(USAGE_PAUSE_MS, undefined, { ref: false }),
  });

/** Publishes that the list of a user's sessions has changed. */
export const publishSessions = (
  { bus }: Pick<AccountsFeature, 'bus'>,
  userId: string,
): Promise<void> => bus.publish(userId, 'sessions:changed', undefined);

/** Closes the sockets of a session that is removed from the database. */
export async function publishSessionEnd(
  accounts: Pick<AccountsFeature, 'bus'>,
  { userId, sessionId }: SessionRef,
): Promise<void> {
  await accounts.bus.endSession(userId, sessionId);
  await publishSessions(accounts, userId);
}
