export { type AppOptions, createApp } from './create-app.ts';
export { handler, openHandler } from './handler.ts';
export { byAddress, byUser, createRateLimit, type RateLimit } from './rate-limit.ts';
export { type Authenticate, type Principal, principalOf, requireUser } from './require-user.ts';
export { createOriginCheck } from './same-origin.ts';
export {
  createSessionCookie,
  presentedToken,
  presentedTokens,
  type SessionCookie,
} from './session-token.ts';
export { Id, IdParams } from './validate.ts';
