export { useSignOut, useUser } from './hooks.ts';
export { endSession, startGuest } from './session.ts';
