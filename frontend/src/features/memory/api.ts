import { t } from 'virtual:texts/memory';
import type {
  EditMemoryBody,
  ImportMemoriesBody,
  Memory,
  MemoryEvent,
  MemoryList,
  MemoryState,
} from '@stolas/backend/contract';
import { queryOptions, useMutation } from '@tanstack/react-query';
import { apiDelete, apiGetText, apiPatch, apiPost } from '../../lib/api.ts';
import { queryClient } from '../../lib/query-client.ts';
import { getNumbered, memoriesKey } from '../../realtime/index.ts';
import { showFailure } from '../auth/index.ts';

const pathOf = (id: string) => `/api/memories/${id}`;

/** All memories in one state; left out, the active and pending ones. */
export const memoriesQuery = (state?: Extract<MemoryState, 'superseded'>) =>
  queryOptions({
    queryKey: [...memoriesKey, state ?? 'present'],
    queryFn: (read) =>
      getNumbered<MemoryList>(`/api/memories${state ? `?state=${state}` : ''}`, read),
  });

/** Those with these ids; deleted ones are left out. */
export const memoriesByIdQuery = (ids: readonly string[]) =>
  queryOptions({
    queryKey: [...memoriesKey, 'ids', ...ids],
    queryFn: (read) => getNumbered<MemoryList>(`/api/memories?ids=${ids.join(',')}`, read),
    enabled: ids.length > 0,
  });

export const historyQuery = (id: string) =>
  queryOptions({
    queryKey: [...memoriesKey, 'history', id],
    queryFn: (read) => getNumbered<MemoryEvent[]>(`${pathOf(id)}/history`, read),
  });

export const editMemory = (id: string, body: EditMemoryBody) => apiPatch<Memory>(pathOf(id), body);
export const deleteMemory = (id: string) => apiDelete(pathOf(id));
export const approveMemory = (id: string) => apiPost<Memory>(`${pathOf(id)}/approve`);
export const rejectMemory = (id: string) => apiPost(`${pathOf(id)}/reject`);
export const undoMemories = (replyId: string) => apiPost('/api/memories/undo', { replyId });
export const forgetAll = () => apiDelete('/api/memories');
export const exportMemories = () => apiGetText('/api/memories/export');
export const importMemories = (body: ImportMemoriesBody) =>
  apiPost<{ memories: Memory[] }>('/api/memories/import', body);

/** One change of memories. Whether it succeeds or fails, they are read again. */
export const useAct = <T = void>(act: (given: T) => Promise<unknown>) =>
  useMutation({
    mutationFn: act,
    onError: showFailure(t('changeFailed')),
    onSettled: () => queryClient.invalidateQueries({ queryKey: memoriesKey }),
  });
