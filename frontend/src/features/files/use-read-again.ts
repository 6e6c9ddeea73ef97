import { t } from 'virtual:texts/fileStates';
import type { UserFile } from '@stolas/backend/contract';
import { useQueryClient } from '@tanstack/react-query';
import { updateFile } from '../../realtime/index.ts';
import { useAction } from '../auth/index.ts';
import { readAgain } from './api.ts';

/** Requests another reading of a file. */
export function useReadAgain({ id }: UserFile) {
  const client = useQueryClient();
  return useAction({
    run: () => readAgain(id),
    onDone: (file) => updateFile(client, file),
    failed: t('notReadAgain'),
  });
}
