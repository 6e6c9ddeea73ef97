import { t } from 'virtual:texts/personaChoice';
import type { Depth } from '@stolas/backend/contract';
import { useMutation } from '@tanstack/react-query';
import { memo } from 'react';
import { queryClient } from '../../../lib/query-client.ts';
import { upsertConversation } from '../../../realtime/index.ts';
import { showFailure } from '../../auth/index.ts';
import {
  depthOfPersona,
  PersonaButton,
  type PersonaChoices,
  setPanelOfNewChat,
  setPersonaOfNewChat,
} from '../../personas/index.ts';
import { updateConversation } from '../api.ts';
import { chooseForNew, usePersonaChoices } from '../sending/choices.ts';
import { isNewChat } from '../use-conversation.ts';

/** The persona of the next reply. The persona of a new conversation is sent with its first message. */
export const ComposerPersona = memo(function ComposerPersona({
  conversationId,
}: {
  conversationId: string;
}) {
  const isNew = isNewChat(conversationId);
  const current = usePersonaChoices(conversationId);
  const { mutate, variables, isPending } = useMutation({
    mutationFn: (chosen: Partial<PersonaChoices> & { depth?: Depth }) =>
      updateConversation(conversationId, chosen),
    onSuccess: (changed) => upsertConversation(queryClient, changed),
    onError: showFailure(t('notChosen')),
  });
  const { personaId, panel } = { ...current, ...(isPending && variables) };
  const choose = (id: string | null): void => {
    if (!isNew) return mutate({ personaId: id, ...depthWith(id) });
    setPersonaOfNewChat(id);
    chooseForNew(depthWith(id));
  };
  return (
    <PersonaButton
      key={conversationId}
      personaId={personaId}
      panel={panel ?? null}
      onChoose={choose}
      onPanel={isNew ? setPanelOfNewChat : (chosen) => mutate({ panel: chosen })}
    />
  );
});

/** The depth that the persona sets. */
function depthWith(personaId: string | null): { depth?: Depth } {
  const depth = depthOfPersona(personaId);
  return depth ? { depth } : {};
}
