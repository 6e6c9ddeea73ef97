import { randomBytes } from 'node:crypto';
import type { Actor } from '../../access/index.ts';
import { createSessionCookie } from '../../http/index.ts';
import type { Core } from '../define-feature.ts';
import { mailJob } from './jobs.ts';
import { createLinkStore, defineLinkModel } from './link-model.ts';
import { createMailQuota } from './mail-quota.ts';
import { createRemovalStore } from './removal-model.ts';
import { createSessionStore, defineSessionModel, SESSION_MS } from './session-model.ts';
import { createSessionOwners } from './session-owners.ts';
import { createUserStore, defineUserModel } from './user-model.ts';
import type { PlanView } from './user-record.ts';

/** The functions of later features that accounts need. */
export interface Others {
  billing: {
    /** Whether a user has a plan: such an account is kept, even unverified. */
    hasPlan: (userId: string) => Promise<boolean>;
    /** Ends the open checkout and every subscription of a user. Rejects when the payment provider is unreachable. */
    endPayments: (userId: string) => Promise<void>;
  };
  privacy: {
    /** Stores what becomes of what the account shares, before it is closed. */
    prepareDeletion: (
      userId: string,
      choice: { handOver: boolean; eraseMessages: boolean },
    ) => Promise<void>;
    /**
     * Requests the erasure of a closed account. Repeating it does no harm.
     * @returns the id of the receipt
     */
    requestDeletion: (userId: string) => Promise<string>;
  };
  usage: {
    /** The plan of an actor's account and its usage. */
    readPlan: (actor: Pick<Actor, 'userId' | 'isGuest'>) => Promise<PlanView>;
  };
}

export const defineModels = (connection: Core['connection']) => ({
  users: defineUserModel(connection),
  sessions: defineSessionModel(connection),
  links: defineLinkModel(connection),
});

type Parts = Pick<Core, 'config' | 'log' | 'securityLog' | 'redis' | 'bus' | 'produce' | 'now'> & {
  models: ReturnType<typeof defineModels>;
};

/** The object of this feature. Every function takes it, or a part of it, as its first parameter. */
export type AccountsFeature = ReturnType<typeof createAccountsFeature>;

export function createAccountsFeature({ models, produce, ...core }: Parts, others: Others) {
  const { config, log, securityLog, redis, bus, now } = core;
  return {
    users: createUserStore(models.users),
    sessions: createSessionStore(models.sessions),
    sessionOwners: createSessionOwners(),
    links: createLinkStore(models.links),
    removals: createRemovalStore(models.users),
    mails: produce(mailJob),
    mailQuota: createMailQuota(core),
    cookie: createSessionCookie({ PUBLIC_URL: config.PUBLIC_URL, maxAgeMs: SESSION_MS }),
    others,
    config,
    log,
    securityLog,
    redis,
    bus,
    now,
    /** A new id for an account. */
    newId: () => randomBytes(12).toString('hex'),
  };
}
