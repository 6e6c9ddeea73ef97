import type { GrantBody, RecordGrants } from '@stolas/backend/contract';
import { queryOptions } from '@tanstack/react-query';
import { apiGet, apiPut } from '../../lib/api.ts';
import type { SharedRecord } from './record.ts';

type Key = Pick<SharedRecord, 'kind' | 'id'>;

const pathOf = ({ kind, id }: Key) => `/api/${kind}/${encodeURIComponent(id)}/grants`;

/** With whom a record is shared. */
export const grantsQuery = ({ kind, id }: Key) =>
  queryOptions({
    queryKey: ['grants', kind, id],
    queryFn: ({ signal }) => apiGet<RecordGrants>(pathOf({ kind, id }), { signal, on401: 'throw' }),
    // Others may have changed them.
    staleTime: 0,
  });

/** Shares the record with these, and with nobody else. */
export const replaceGrants = (record: Key, grants: readonly GrantBody[]) =>
  apiPut<RecordGrants>(pathOf(record), { grants });
