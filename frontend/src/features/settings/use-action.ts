import { useMutation } from '@tanstack/react-query';
import { tellFailure } from './failure.ts';

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
    onError: tellFailure(failed),
  });
  return { run: () => mutate(), isPending };
}
