export { useGuestSignOut, useSignOut, useUser } from './hooks.ts';
export { endingSession, endSession, leave } from './session.ts';
export { signInAgain } from './sign-in-again.ts';
export { showFailure, useAction, useEndedSession } from './use-action.ts';
