import { useMutation } from '@tanstack/react-query';
import { userMessageOf } from '../../lib/api.ts';
import { toast } from '../../ui/toast-store.ts';
import { endSession } from '../auth/index.ts';
import { isSignedOut } from './api.ts';

interface ActionOptions<T> {
  run: () => Promise<T>;
  onDone?: (result: T) => void;
  /** Title of the notification when it fails. */
  failed: string;
}

/** A button that does one thing on the server; a session that is over leads to /login. */
export function useAction<T>({ run, onDone, failed }: ActionOptions<T>) {
  const { mutate, isPending } = useMutation({
    mutationFn: run,
    onSuccess: (result) => onDone?.(result),
    onError: (error) => {
      if (isSignedOut(error)) void endSession();
      else
        toast({
          variant: 'destructive',
          title: failed,
          description: userMessageOf(error, 'Check your connection and try again.'),
        });
    },
  });
  return { run: () => mutate(), isPending };
}
