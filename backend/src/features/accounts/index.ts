export { presentUser } from './present.ts';
export { accountsRoutes } from './routes.ts';
export { type AccountsService, createAccountsService } from './service.ts';
export { createSessionStore, defineSessionModel } from './session-model.ts';
export { createUserStore, defineUserModel, type UserRecord } from './user-model.ts';
