import type { UserFile } from '@stolas/backend/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { t } from '../../i18n/file-states.ts';
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
        title: t('notReadAgain'),
        description: userMessageOf(error, t('checkConnection')),
        variant: 'destructive',
      }),
  });
  return { readAgain: () => mutate(), isPending };
}
