import { randomBytes, randomUUID } from 'node:crypto';
import type { Redis } from '../../db/redis.ts';
import { unavailable } from '../../errors.ts';
import {
  createAccountsService,
  createLinkStore,
  createRemovalStore,
  createSessionStore,
  type defineLinkModel,
  type defineSessionModel,
  type defineUserModel,
  mailJob,
  type PlanOf,
  presentUser,
  removalJob,
  type UserRecord,
  type UserStore,
} from '../../features/accounts/index.ts';
import type { BillingService } from '../../features/billing/index.ts';
import type { UsageService } from '../../features/usage/index.ts';
import { createProducer } from '../../jobs/producer.ts';
import type { Log } from '../../log.ts';
import type { Bus } from '../../realtime/bus.ts';

/** Requests that ran when an account was closed have ended by then, and store nothing afterwards. */
const REMOVAL_DELAY_MS = 3_000;

interface AccountsParts {
  models: {
    users: ReturnType<typeof defineUserModel>;
    sessions: ReturnType<typeof defineSessionModel>;
    links: ReturnType<typeof defineLinkModel>;
  };
  users: UserStore;
  redis: Redis;
  billing: BillingService;
  usage: UsageService;
  bus: Bus;
  now: () => Date;
  log: Log;
}

/** Accounts, with the events that they publish and the jobs that they enqueue. */
export function composeAccounts(parts: AccountsParts) {
  const { models, users, redis, billing, usage, bus, now, log } = parts;
  const links = createLinkStore(models.links);
  const mails = createProducer(mailJob, redis);
  const removals = createProducer(removalJob, redis);

  const planOf: PlanOf = async (actor) => ({
    ...(await billing.planOf(actor)),
    ...(actor.isGuest && { demo: await usage.allowanceOf(actor.userId) }),
  });

  const tellAccount = async (user: UserRecord) => {
    const isGuest = user.subscriptionStatus === 'guest';
    const plan = await planOf({ userId: user.id, isGuest });
    await bus.publish(user.id, 'account:changed', presentUser(user, plan));
  };
  const tellSessions = (userId: string) => bus.publish(userId, 'sessions:changed', undefined);

  const accounts = createAccountsService({
    users,
    sessions: createSessionStore(models.sessions),
    links,
    removals: createRemovalStore(models.users),
    now,
    newId: () => randomBytes(12).toString('hex'),
    onSessionsChanged: tellSessions,
    onSessionEnded: async ({ userId, sessionId }) => {
      await bus.endSession(userId, sessionId);
      await tellSessions(userId);
    },
    onChanged: tellAccount,
    hasPlan: billing.hasPlan,
    requestMail: async (userId, kind) => {
      await mails.add(randomUUID(), { userId, kind }).catch((error: unknown) => {
        throw unavailable(error);
      });
    },
    requestRemoval: async (userId) => {
      await removals
        .add(userId, { userId }, { delayMs: REMOVAL_DELAY_MS })
        .catch((error: unknown) => log.warn({ err: error, userId }, 'an account is removed later'));
    },
  });

  return {
    accounts,
    planOf,
    links,
    /** Publishes the remaining quota to a guest's tabs. */
    tellAllowance: async (userId: string): Promise<void> => {
      const user = await accounts.find(userId);
      if (user?.subscriptionStatus === 'guest') await tellAccount(user);
    },
    close: async (): Promise<void> => {
      await Promise.all([mails.close(), removals.close()]);
    },
  };
}
