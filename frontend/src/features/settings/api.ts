import type { Session } from '@stolas/backend/contract';
import { queryOptions } from '@tanstack/react-query';
import { ApiError, apiGet } from '../../lib/api.ts';
import { sessionsKey } from '../../realtime/index.ts';

/** The user's sessions. The socket reports changes. */
export const sessionsQuery = queryOptions({
  queryKey: sessionsKey,
  queryFn: () => apiGet<Session[]>('/api/auth/sessions', { on401: 'throw' }),
});

/** The server does not know this browser's session any more. */
export const isSignedOut = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 401;
