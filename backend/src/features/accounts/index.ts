export { presentUser } from './present.ts';
export { accountsRoutes } from './routes.ts';
export { createAccountsService } from './service.ts';
export { createSessionStore, defineSessionModel } from './session-model.ts';
export { createUserStore, defineUserModel } from './user-model.ts';
