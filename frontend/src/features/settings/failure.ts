import { userMessageOf } from '../../lib/api.ts';
import { toast } from '../../ui/toast-store.ts';
import { endSession } from '../auth/index.ts';
import { isSignedOut } from './api.ts';

/** What follows when something here fails: a session that is over leads to /login, anything else is a notification. */
export const tellFailure =
  (title: string) =>
  (error: unknown): void => {
    if (isSignedOut(error)) {
      void endSession();
      return;
    }
    const description = userMessageOf(error, 'Check your connection and try again.');
    toast({ variant: 'destructive', title, description });
  };
