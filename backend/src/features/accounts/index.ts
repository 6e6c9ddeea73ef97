export { createLinkStore, defineLinkModel } from './link-model.ts';
export { createLinks } from './links.ts';
export { createAccountMails, mailJob } from './mails.ts';
export { presentUser } from './present.ts';
export { createRemovalStore } from './removal-model.ts';
export { type RemovalJob, removalJob } from './removals.ts';
export { accountsRoutes } from './routes.ts';
export { createAccountsService } from './service.ts';
export { createSessionStore, defineSessionModel } from './session-model.ts';
export {
  createUserStore,
  defineUserModel,
  dropFormerIndexes,
  type UserRecord,
} from './user-model.ts';
