import type { DraftPersonaBody } from '@stolas/backend/contract';
import { useQuery } from '@tanstack/react-query';
import { draftPersona } from './api.ts';

/** The persona of a column of a trial: a saved one, or an unsaved draft. */
export type Subject = { name: string } & ({ personaId: string } | { draft: DraftPersonaBody });

export interface Participant {
  name: string;
  personaId: string;
}

/** The subjects with their ids; unsaved drafts are stored for the trial first. */
export const useParticipants = (subjects: readonly Subject[]) =>
  useQuery({
    queryKey: ['trial-participants', subjects],
    queryFn: ({ signal }) =>
      Promise.all(
        subjects.map(async (subject): Promise<Participant> => {
          if ('personaId' in subject) return subject;
          const { id: personaId } = await draftPersona(subject.draft, signal);
          return { name: subject.name, personaId };
        }),
      ),
    gcTime: 0,
  });
