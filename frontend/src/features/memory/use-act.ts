import { useMutation, useQueryClient } from '@tanstack/react-query';
import { t } from '../../i18n/memory.ts';
import { fromServer } from '../../i18n/translate.ts';
import { userMessageOf } from '../../lib/api.ts';
import { memoriesKey } from '../../realtime/index.ts';
import { toast } from '../../ui/toast-store.ts';

/** One change of memories: whatever comes of it, they are read again. */
export function useAct<T = void>(act: (given: T) => Promise<unknown>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: act,
    onError: (error) =>
      toast({
        title: t('changeFailed'),
        description: fromServer(userMessageOf(error, t('failedHint'))),
        variant: 'destructive',
      }),
    onSettled: () => client.invalidateQueries({ queryKey: memoriesKey }),
  });
}
