import type { Persona } from '../../contract/personas.ts';
import type { PersonaRecord } from './model.ts';

export const presentPersona = ({
  ownerId,
  createdAt,
  updatedAt,
  hasPicture,
  ...persona
}: PersonaRecord): Persona => ({
  ...persona,
  isReadyMade: ownerId === null,
  ...(hasPicture && { pictureUrl: `/api/personas/${persona.id}/picture` }),
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
});
