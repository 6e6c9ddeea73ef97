import { runJob } from '../../jobs/worker.ts';
import { defineFeature } from '../define-feature.ts';
import { jsonEntry } from '../export-entry.ts';
import { createUsagePublisher, publishAccountOf } from './events.ts';
import {
  type AccountsFeature,
  createAccountsFeature,
  defineModels,
  type Others,
} from './feature.ts';
import { mailJob } from './jobs.ts';
import { sendMail } from './mails.ts';
import { firstRelease } from './migrations.ts';
import {
  eraseAccount,
  GUEST_LIFETIME_MS,
  REMOVAL_EVERY_MS,
  removeDueAccounts,
  UNVERIFIED_LIFETIME_MS,
} from './removals.ts';
import { accountsRoutes } from './routes.ts';
import { MAX_SESSION_MS, SESSION_MS, type SessionRef } from './session-model.ts';
import { authenticate, findEndedSessions, listSessions } from './sessions.ts';

export { proofHandlers } from './own-calls.ts';
export { hashOf, newSecret } from './secrets.ts';

/** The feature's object, with the functions for other features and processes as members. */
const withCalls = (accounts: AccountsFeature) => ({
  ...accounts,
  /** The account of an id; null when it is gone. */
  find: accounts.users.find,
  authenticate: (token: string) => authenticate(accounts, token),
  findEndedSessions: (sessions: readonly SessionRef[]) => findEndedSessions(accounts, sessions),
  /** Publishes to the user's tabs that the account or its plan has changed. */
  publishChange: (userId: string) => publishAccountOf(accounts, userId),
  /** Publishes the user's usage to their tabs, in the background. */
  publishUsage: createUsagePublisher(accounts),
});

export type AccountsService = ReturnType<typeof withCalls>;

const objectsOf = (userId: string) => `users/${userId}/`;

/** Users, their credentials and their sessions. */
export const accounts = defineFeature({
  name: 'accounts',
  models: defineModels,
  owners: { users: '_id', sessions: 'userId', links: 'userId' },
  shardKeys: { users: null, sessions: null, links: null },
  retention: [
    { kind: 'session', seconds: SESSION_MS / 1_000 },
    { kind: 'sessionTotal', seconds: MAX_SESSION_MS / 1_000 },
    { kind: 'guest', seconds: GUEST_LIFETIME_MS / 1_000 },
    { kind: 'unverified', seconds: UNVERIFIED_LIFETIME_MS / 1_000 },
  ],
  migrations: [firstRelease],
  socketEvents: ['account:changed', 'sessions:changed', 'session:ended'],
  create: (core, others: Others) => withCalls(createAccountsFeature(core, others)),
  routes: ({ service, rateLimit }) => [accountsRoutes(service, rateLimit)],
  jobs: ({ service, mailer }) => [runJob(mailJob, (job) => sendMail(service, mailer, job))],
  sweeps: ({ service }) => [
    {
      name: 'account removals',
      runBy: 'partitioned',
      everyMs: REMOVAL_EVERY_MS,
      run: (onPartition) => removeDueAccounts(service, onPartition),
    },
  ],
  async *exportUser({ service }, userId) {
    const user = await service.find(userId);
    if (!user) return;
    const { email, pendingEmail, emailVerified, firstName, lastName, signInProviders } = user;
    const names = { firstName, lastName };
    const sessions = (await listSessions(service, userId)).map(
      ({ userAgent, createdAt, lastUsedAt }) => ({ userAgent, createdAt, lastUsedAt }),
    );
    const credentials = { email, pendingEmail, emailVerified, signInProviders };
    const account = { id: userId, ...credentials, ...names, sessions };
    yield jsonEntry('account.json', async () => account);
  },
  userStores: ({ objects }) => [
    { name: 'objects', count: (userId) => objects.count(objectsOf(userId)) },
  ],
  eraseUser: async ({ service, objects }, userId) => {
    await objects.removeAll(objectsOf(userId));
    await eraseAccount(service, userId);
  },
});
