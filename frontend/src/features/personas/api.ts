import {
  type CardPreview,
  type Depth,
  type FusePersonasBody,
  type FusionPreview,
  type Persona,
  type PersonaFields,
  type PersonaModels,
  type PersonaPreview,
  type PersonaSummary,
  READY_MADE_ID,
} from '@stolas/backend/contract';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { language } from '../../i18n/language.ts';
import { apiDelete, apiGet, apiPatch, apiPost, apiPostFile } from '../../lib/api.ts';
import { queryClient } from '../../lib/query-client.ts';
import { getNumbered, personasKey } from '../../realtime/index.ts';

const PATH = '/api/personas';
/** Ready-made personas and the names of copies are written in the language of the interface. */
const inLanguage = (path: string, separator = '?') =>
  language() === 'en' ? path : `${path}${separator}language=${language()}`;

/** The user's personas without their long texts, the last changed first, then the ready-made ones. */
export const personasQuery = queryOptions({
  queryKey: personasKey,
  queryFn: (read) => getNumbered<PersonaSummary[]>(inLanguage(`${PATH}?fields=summary`, '&'), read),
});

/** A persona with its texts, as it is when it is opened. */
export const personaQuery = (id: string) =>
  queryOptions({
    queryKey: ['persona', id],
    queryFn: ({ signal }) => apiGet<Persona>(`${PATH}/${id}`, { signal, on401: 'throw' }),
    gcTime: 0,
  });

/** The list of personas; empty until it has been read. */
export const usePersonas = ({ isEnabled }: { isEnabled: boolean }): readonly PersonaSummary[] =>
  useQuery({ ...personasQuery, enabled: isEnabled }).data ?? [];

/**
 * A persona, from the list, which is read when one is asked for. A ready-made one that was chosen in another language of the interface is not
 * in the list and is read by itself.
 */
export function usePersona(personaId: string | null): PersonaSummary | undefined {
  const { data: personas } = useQuery({ ...personasQuery, enabled: personaId !== null });
  const listed = personas?.find(({ id }) => id === personaId);
  const { data: other } = useQuery({
    queryKey: ['ready-made-persona', personaId],
    queryFn: ({ signal }) => apiGet<Persona>(`${PATH}/${personaId}`, { signal, on401: 'throw' }),
    enabled: personas !== undefined && !listed && READY_MADE_ID.test(personaId ?? ''),
  });
  return listed ?? other;
}

/** The name of a persona. Null when it was deleted or is no longer shared, undefined until that is known. */
export function usePersonaName(personaId: string): string | null | undefined {
  const persona = usePersona(personaId);
  const { data: personas } = useQuery(personasQuery);
  if (persona) return persona.name;
  return personas && !READY_MADE_ID.test(personaId) ? null : undefined;
}

/** The depth that choosing the persona sets; null when it sets none or the list has not been read yet. */
export const depthOfPersona = (personaId: string | null): Depth | null =>
  queryClient.getQueryData(personasQuery.queryKey)?.find(({ id }) => id === personaId)?.depth ??
  null;

/** The models that a persona may name. */
export const modelsQuery = queryOptions({
  queryKey: ['persona-models'],
  queryFn: ({ signal }) => apiGet<PersonaModels>(`${PATH}/models`, { signal, on401: 'throw' }),
});

export const createPersona = (fields: PersonaFields) => apiPost<Persona>(PATH, fields);

export const updatePersona = (id: string, version: number, fields: Partial<PersonaFields>) =>
  apiPatch<Persona>(`${PATH}/${id}`, { ...fields, version });

export const duplicatePersona = (id: string) =>
  apiPost<Persona>(inLanguage(`${PATH}/${id}/duplicate`));

export const deletePersona = (id: string) => apiDelete(`${PATH}/${id}`);

export const previewPersona = (persona: PersonaFields, signal: AbortSignal) =>
  apiPost<PersonaPreview>(`${PATH}/preview`, { persona }, { signal });

export const previewCard = (file: Blob) => apiPostFile<CardPreview>(`${PATH}/import`, file);

export const importCard = (file: Blob, instructions: boolean) =>
  apiPostFile<Persona>(`${PATH}/import?accept=true&instructions=${instructions}`, file);

/** The address of a persona as a character card. */
export const exportUrl = (id: string, format: 'v2' | 'v3' | 'png'): string =>
  `${PATH}/${id}/export?format=${format}`;

export const previewFusion = (body: FusePersonasBody, signal: AbortSignal) =>
  apiPost<FusionPreview>(`${PATH}/fusion/preview`, body, { signal });

export const saveFusion = (body: FusePersonasBody) => apiPost<Persona>(`${PATH}/fusion`, body);
