import { Readable } from 'node:stream';
import { publicUrl } from '../../config.ts';
import { runJob } from '../../jobs/worker.ts';
import { defineFeature } from '../define-feature.ts';
import { createAccounts, type Others } from './create.ts';
import { mailJob } from './jobs.ts';
import { createLinkStore, defineLinkModel } from './link-model.ts';
import { createLinks } from './links.ts';
import { createMailQuota } from './mail-quota.ts';
import { createAccountMails } from './mails.ts';
import { firstRelease } from './migrations.ts';
import { GUEST_LIFETIME_MS, REMOVAL_EVERY_MS, UNVERIFIED_LIFETIME_MS } from './removals.ts';
import { accountsRoutes } from './routes.ts';
import { defineSessionModel } from './session-model.ts';
import { MAX_SESSION_MS, SESSION_MS } from './sessions.ts';
import { createUserStore, defineUserModel } from './user-model.ts';

export { createProofHandlers } from './own-calls.ts';
export type { AccountsService } from './service.ts';

const objectsOf = (userId: string) => `users/${userId}/`;

/** Users, their credentials and their sessions. */
export const accounts = defineFeature({
  name: 'accounts',
  models: (connection) => ({
    users: defineUserModel(connection),
    sessions: defineSessionModel(connection),
    links: defineLinkModel(connection),
  }),
  owners: { users: '_id', sessions: 'userId', links: 'userId' },
  retention: [
    { kind: 'session', seconds: SESSION_MS / 1_000 },
    { kind: 'sessionTotal', seconds: MAX_SESSION_MS / 1_000 },
    { kind: 'guest', seconds: GUEST_LIFETIME_MS / 1_000 },
    { kind: 'unverified', seconds: UNVERIFIED_LIFETIME_MS / 1_000 },
  ],
  migrations: [firstRelease],
  socketEvents: ['account:changed', 'sessions:changed', 'session:ended'],
  create: (core, others: Others) => createAccounts(core, others),
  routes: ({ service, ...own }) => [
    accountsRoutes({ ...own, accounts: service, planOf: service.planOf }),
  ],
  jobs: ({ models, now, config, redis, securityLog, mailer }) => [
    runJob(
      mailJob,
      createAccountMails({
        users: createUserStore(models.users),
        links: createLinks({ links: createLinkStore(models.links), now }),
        mailer,
        quota: createMailQuota({ redis, securityLog, enabled: config.RATE_LIMITS }),
        baseUrl: publicUrl(config),
      }).send,
    ),
  ],
  sweeps: ({ service }) => [
    { name: 'account removals', everyMs: REMOVAL_EVERY_MS, run: service.removeDue },
  ],
  exportUser: ({ service }) =>
    async function* entries(userId) {
      const user = await service.find(userId);
      if (!user) return;
      const { email, pendingEmail, emailVerified, firstName, lastName, signInProviders } = user;
      const account = {
        id: userId,
        email,
        pendingEmail,
        emailVerified,
        firstName,
        lastName,
        signInProviders,
      };
      const text = `${JSON.stringify(account, null, 2)}\n`;
      yield { path: 'account.json', open: async () => Readable.from([text]) };
    },
  userStores: ({ objects }) => [
    { name: 'objects', count: (userId) => objects.count(objectsOf(userId)) },
  ],
  eraseUser:
    ({ service, objects }) =>
    async (userId) => {
      await objects.removeAll(objectsOf(userId));
      await service.forget(userId);
    },
});
