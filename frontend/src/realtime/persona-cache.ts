import type { Persona } from '@stolas/backend/contract';
import type { QueryClient } from '@tanstack/react-query';

/** All personas of the user and the ready-made ones. */
export const personasKey = ['personas'];

/** Puts a persona first, unless a later version of it is known. The ready-made ones stay last. */
export function updatePersona(client: QueryClient, persona: Persona): void {
  client.setQueryData<Persona[]>(personasKey, (list) => {
    const known = list?.find(({ id }) => id === persona.id);
    if (!list || (known && known.version > persona.version)) return list;
    return [persona, ...list.filter(({ id }) => id !== persona.id)];
  });
}

export function removePersona(client: QueryClient, id: string): void {
  client.setQueryData<Persona[]>(personasKey, (list) =>
    list?.filter((persona) => persona.id !== id),
  );
}
