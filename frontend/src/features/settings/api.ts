import type { Session } from '@stolas/backend/contract';
import { queryOptions } from '@tanstack/react-query';
import { apiGet } from '../../lib/api.ts';
import { sessionsKey } from '../../realtime/index.ts';

/** The user's sessions. The socket reports changes. */
export const sessionsQuery = queryOptions({
  queryKey: sessionsKey,
  queryFn: () => apiGet<Session[]>('/api/auth/sessions', { on401: 'throw' }),
});
