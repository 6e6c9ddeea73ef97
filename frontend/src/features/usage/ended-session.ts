import { useEffect } from 'react';
import { t as common } from '../../i18n/app.ts';
import { ApiError, userMessageOf } from '../../lib/api.ts';
import { toast } from '../../ui/toast-store.ts';
import { endSession } from '../auth/index.ts';

/** The server does not know this browser's session any more. */
export const isSignedOut = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 401;

/** Leads to /login when a query failed because the session has ended. */
export function useEndedSession(error: unknown): void {
  const signedOut = isSignedOut(error);
  useEffect(() => {
    if (signedOut) void endSession();
  }, [signedOut]);
}

/** Handles the failure of an action: an ended session leads to /login, anything else is a notification. */
export const tellFailure =
  (title: string) =>
  (error: unknown): void => {
    if (isSignedOut(error)) {
      void endSession();
      return;
    }
    const description = userMessageOf(error, common('checkConnection'));
    toast({ variant: 'destructive', title, description });
  };
