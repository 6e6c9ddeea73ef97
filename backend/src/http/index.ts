export { createApp } from './create-app.ts';
export { handler } from './handler.ts';
export { byUser, createRateLimit, type RateLimit } from './rate-limit.ts';
export { createOriginCheck } from './same-origin.ts';
export { IdParams } from './validate.ts';
