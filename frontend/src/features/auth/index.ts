export { useSignOut, useUser } from './hooks.ts';
export { endSession } from './session.ts';
