import { publicUrl } from '../../config.ts';
import { runJob } from '../../jobs/worker.ts';
import { defineFeature } from '../define-feature.ts';
import { createAccounts, type Others } from './create.ts';
import { mailJob, removalJob } from './jobs.ts';
import { createLinkStore, defineLinkModel } from './link-model.ts';
import { createLinks } from './links.ts';
import { createMailQuota } from './mail-quota.ts';
import { createAccountMails } from './mails.ts';
import { accountsMigrations } from './migrations.ts';
import { createErasing, REMOVAL_EVERY_MS } from './removals.ts';
import { accountsRoutes } from './routes.ts';
import { defineSessionModel } from './session-model.ts';
import { createUserStore, defineUserModel } from './user-model.ts';

/** Users, their credentials and their sessions. */
export const accounts = defineFeature({
  name: 'accounts',
  models: (connection) => ({
    users: defineUserModel(connection),
    sessions: defineSessionModel(connection),
    links: defineLinkModel(connection),
  }),
  migrations: accountsMigrations,
  socketEvents: ['account:changed', 'sessions:changed', 'session:ended'],
  create: (core, others: Others) => createAccounts(core, others),
  routes: ({ service, ...own }) => [
    accountsRoutes({ ...own, accounts: service, planOf: service.planOf }),
  ],
  jobs: ({ service, models, now, config, redis, securityLog, mailer, eraseUser }) => [
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
    runJob(removalJob, createErasing(service, eraseUser).erase),
  ],
  sweeps: ({ service, eraseUser }) => [
    {
      name: 'account removals',
      everyMs: REMOVAL_EVERY_MS,
      run: createErasing(service, eraseUser).eraseDue,
    },
  ],
  eraseUser:
    ({ service, objects }) =>
    async (userId) => {
      await objects.removeAll(`users/${userId}/`);
      await service.forget(userId);
    },
});
