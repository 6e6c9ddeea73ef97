import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { unavailable } from '../../errors.ts';
import type { Core } from '../define-feature.ts';
import { coalesce } from './coalesce.ts';
import { type MailKind, mailJob } from './jobs.ts';
import { createLinkStore, type defineLinkModel } from './link-model.ts';
import { type PlanOf, type PlanView, presentUser } from './present.ts';
import { createRemovalStore } from './removal-model.ts';
import { createDueRemovals } from './removals.ts';
import { createAccountsService } from './service.ts';
import { createSessionStore, type defineSessionModel } from './session-model.ts';
import { createUserStore, type defineUserModel } from './user-model.ts';
import type { UserRecord } from './user-record.ts';

/** Changes of usage within this time are told to the tabs once. */
const TELL_USAGE_AFTER_MS = 250;

interface PlanOwner {
  userId: string;
  isGuest: boolean;
}

/** What accounts need of features that are built after them. */
export interface Others {
  billing: {
    planOf: (actor: PlanOwner) => Promise<PlanView>;
    hasPlan: (userId: string) => Promise<boolean>;
    endPayments: (userId: string) => Promise<void>;
  };
  /** Erases closed accounts. */
  privacy: { requestDeletion: (userId: string) => Promise<string> };
  usage: { readShownUsage: (actor: PlanOwner) => Promise<Pick<PlanView, 'demo' | 'usage'>> };
}

interface Models {
  users: ReturnType<typeof defineUserModel>;
  sessions: ReturnType<typeof defineSessionModel>;
  links: ReturnType<typeof defineLinkModel>;
}

/** The accounts service, with whom it tells and what it asks of the queue. */
export function createAccounts(core: Core & { models: Models }, others: Others) {
  const { models, bus, now } = core;

  const planOf: PlanOf = async (actor) => {
    const [plan, usage] = await Promise.all([
      others.billing.planOf(actor),
      others.usage.readShownUsage(actor),
    ]);
    return { ...plan, ...usage };
  };
  const tellAccount = async (user: UserRecord) => {
    const isGuest = user.subscriptionStatus === 'guest';
    const plan = await planOf({ userId: user.id, isGuest });
    await bus.publish(user.id, 'account:changed', presentUser(user, plan));
  };
  const tellSessions = (userId: string) => bus.publish(userId, 'sessions:changed', undefined);

  const service = createAccountsService({
    users: createUserStore(models.users),
    sessions: createSessionStore(models.sessions),
    links: createLinkStore(models.links),
    removals: createRemovalStore(models.users),
    now,
    newId: () => randomBytes(12).toString('hex'),
    onSessionsChanged: tellSessions,
    onSessionEnded: async ({ userId, sessionId }) => {
      await bus.endSession(userId, sessionId);
      await tellSessions(userId);
    },
    onChanged: tellAccount,
    hasPlan: (userId) => others.billing.hasPlan(userId),
    endPayments: (userId) => others.billing.endPayments(userId),
    requestRemoval: (userId) => others.privacy.requestDeletion(userId),
    requestMail: createMailRequest(core),
  });

  const tellChanged = async (userId: string): Promise<void> => {
    const user = await service.find(userId);
    if (user) await tellAccount(user);
  };

  return {
    ...service,
    removeDue: createDueRemovals({
      ...service,
      requestRemoval: (userId) => others.privacy.requestDeletion(userId),
    }),
    planOf,
    /** Tells the user's tabs that the account or its plan has changed. */
    tellChanged,
    /** Tells the user's tabs what is used of the plan or left of the demo. Nothing waits for it. */
    tellUsage: coalesce(tellChanged, {
      onError: (error, userId) =>
        core.log.warn({ err: error, userId }, 'tabs were not told of usage'),
      // A send reserves first: what it tells the tabs must not delay the rest of the send.
      pause: () => sleep(TELL_USAGE_AFTER_MS, undefined, { ref: false }),
    }),
  };
}

/** Enqueues mails. */
function createMailRequest({ produce }: Core) {
  const mails = produce(mailJob);
  return async (userId: string, kind: MailKind): Promise<void> => {
    await mails.add(randomUUID(), { userId, kind }).catch((error: unknown) => {
      throw unavailable(error);
    });
  };
}
