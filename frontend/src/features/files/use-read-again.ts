import { t } from 'virtual:texts/fileStates';
import type { UserFile } from '@stolas/backend/contract';
import { useQueryClient } from '@tanstack/react-query';
import { updateFile } from '../../realtime/index.ts';
import { useAction } from '../auth/index.ts';
import { readAgain } from './api.ts';

/** Asks the server to read a file once more. */
export function useReadAgain({ id }: UserFile) {
  const client = useQueryClient();
  return useAction({
    run: () => readAgain(id),
    onDone: (file) => updateFile(client, file),
    failed: t('notReadAgain'),
  });
}
