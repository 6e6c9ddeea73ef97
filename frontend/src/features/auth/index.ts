export { AuthFrame } from './auth-frame.tsx';
export { useGuestSignOut, useSignOut, useUser, useUserPart } from './hooks.ts';
export { returnAfterSignIn, useLinkToken } from './link-token.ts';
export { MailedLink } from './mailed-link.tsx';
export { endingSession, endSession, finishSignOut, leave, SIGNED_IN } from './session.ts';
export { signInAgain } from './sign-in-again.ts';
export { showFailure, useAction, useEndedSession } from './use-action.ts';
