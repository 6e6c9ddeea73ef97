// Everything that backend and frontend share: bodies, answers, limits, error codes, socket events.
export * from './auth.ts';
export * from './billing.ts';
export * from './charged-tokens.ts';
export * from './conversation-cursor.ts';
export * from './conversations.ts';
export * from './errors.ts';
export * from './file-limits.ts';
export * from './files.ts';
export * from './limits.ts';
export * from './messages.ts';
export * from './plans.ts';
export * from './realtime.ts';
export * from './replies.ts';
export * from './reply-status.ts';
export * from './subscription.ts';
export * from './usage.ts';
