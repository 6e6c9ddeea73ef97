import type { Persona } from '../../contract/personas.ts';
import type { PersonaRecord } from './model.ts';

export const presentPersona = ({
  ownerId,
  createdAt,
  updatedAt,
  ...persona
}: PersonaRecord): Persona => ({
  ...persona,
  isReadyMade: ownerId === null,
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
});
