import { t as common } from '../../i18n/app.ts';
import { userMessageOf } from '../../lib/api.ts';
import { toast } from '../../ui/toast-store.ts';
import { endSession } from '../auth/index.ts';
import { isSignedOut } from './api.ts';

/** Handles failures in the settings: an expired session leads to /login, anything else is a notification. */
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
