import type { Depth, Persona } from '@stolas/backend/contract';
import { useQuery } from '@tanstack/react-query';
import { queryClient } from '../../lib/query-client.ts';
import { personasQuery } from './api.ts';

/** A persona of the list, which is read when one is asked for. */
export function usePersona(personaId: string | null): Persona | undefined {
  const { data } = useQuery({ ...personasQuery, enabled: personaId !== null });
  return data?.find(({ id }) => id === personaId);
}

/** The depth that choosing the persona sets; null when it sets none, or the list was not read yet. */
export const depthOfPersona = (personaId: string | null): Depth | null =>
  queryClient.getQueryData(personasQuery.queryKey)?.find(({ id }) => id === personaId)?.depth ??
  null;
