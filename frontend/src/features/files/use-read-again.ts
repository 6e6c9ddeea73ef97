import type { UserFile } from '@stolas/backend/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { userMessageOf } from '../../lib/api.ts';
import { updateFile } from '../../realtime/index.ts';
import { toast } from '../../ui/toast-store.ts';
import { readAgain } from './api.ts';

/** Asks the server to read a file once more. */
export function useReadAgain({ id }: UserFile) {
  const client = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: () => readAgain(id),
    onSuccess: (file) => updateFile(client, file),
    onError: (error) =>
      toast({
        title: 'The file cannot be read again now',
        description: userMessageOf(error, 'Check your connection, then try again.'),
        variant: 'destructive',
      }),
  });
  return { readAgain: () => mutate(), isPending };
}
