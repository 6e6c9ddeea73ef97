import { t } from 'virtual:texts/app';
import { useMutation } from '@tanstack/react-query';
import { useEffect } from 'react';
import { ApiError, userMessageOf } from '../../lib/api.ts';
import { toastError } from '../../ui/toast-store.ts';
import { endSession } from './session.ts';

/** The server does not know this browser's session any more. */
const isSignedOut = (error: unknown): boolean => error instanceof ApiError && error.status === 401;

/** Leads to /login when a query failed because the session has ended. @returns whether it did */
export function useEndedSession(error: unknown): boolean {
  const hasEnded = isSignedOut(error);
  useEffect(() => {
    if (hasEnded) void endSession();
  }, [hasEnded]);
  return hasEnded;
}

/** Handles the failure of a call: an ended session leads to /login, anything else is a notification with this title. */
export const showFailure =
  (title: string) =>
  (error: unknown): void => {
    if (isSignedOut(error)) return void endSession();
    const description = userMessageOf(error, t('checkConnection'));
    toastError(title, description);
  };

interface ActionOptions<T> {
  run: () => Promise<T>;
  onDone?: (result: T) => void;
  /** Title of the notification when it fails. */
  failed: string;
}

/** A button that does one thing on the server. */
export function useAction<T>({ run, onDone, failed }: ActionOptions<T>) {
  const { mutate, isPending } = useMutation({
    mutationFn: run,
    onSuccess: (result) => onDone?.(result),
    onError: showFailure(failed),
  });
  return { run: () => mutate(), isPending };
}
