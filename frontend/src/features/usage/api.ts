import type { Usage } from '@stolas/backend/contract';
import { queryOptions } from '@tanstack/react-query';
import { apiGetText, apiPut } from '../../lib/api.ts';
import { getNumbered, usageKey } from '../../realtime/index.ts';

/** The user's usage. The socket reports changes. */
export const usageQuery = queryOptions({
  queryKey: usageKey,
  queryFn: (read) => getNumbered<Usage>('/api/usage', read),
});

/** Sets or removes the user's own cap per day. */
export const putCap = (body: { tokensPerDay: number | string | null }) =>
  apiPut<Usage>('/api/usage/cap', body);

/** The ledger as CSV. */
export const readLedger = () => apiGetText('/api/usage/ledger.csv');
