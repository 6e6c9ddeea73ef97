import { Suspense } from 'react';
import { PersonaGreeting } from '../../personas/index.ts';
import { usePersonaChoices } from '../composer/use-persona-choices.ts';

/** What the persona of a conversation says before the first message. */
export function Greeting({ conversationId }: { conversationId: string }) {
  const { personaId } = usePersonaChoices(conversationId);
  return (
    personaId !== null && (
      <Suspense>
        <PersonaGreeting personaId={personaId} />
      </Suspense>
    )
  );
}
