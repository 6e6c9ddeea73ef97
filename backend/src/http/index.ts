export { addressKey, clientAddress, isOfThisMachine } from './client-address.ts';
export { createConcurrencyLimit } from './concurrency.ts';
export { createCookie } from './cookie.ts';
export { createApp, setHeader } from './create-app.ts';
export { createGeneralLimit } from './general-limit.ts';
export { handler, openHandler } from './handler.ts';
export { healthRoutes } from './health.ts';
export { type Authenticate, actorOf, requireActor } from './identify.ts';
export {
  admission,
  byAddress,
  byUser,
  createRateLimit,
  type RateLimit,
  type RateRule,
} from './rate-limit.ts';
export { readBody } from './read-body.ts';
export { allowFormTime, FORM_MS } from './request-time.ts';
export { createOriginCheck } from './same-origin.ts';
export { styleNonceOf } from './security-headers.ts';
export { sendText } from './send-text.ts';
export {
  createSessionCookie,
  presentedToken,
  presentedTokens,
} from './session-token.ts';
export { buildOf, shareAssets } from './shared-assets.ts';
export { createTurn, type Turn } from './turns.ts';
export { Id, IdParams, parseInput } from './validate.ts';
