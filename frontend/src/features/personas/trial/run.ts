import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { randomUuid } from '../../../lib/uuid.ts';
import { removeTrial, sendTrial, type TrialSend } from './api.ts';
import type { Participant } from './subjects.ts';

/** One message, sent to all participants. */
export type Run = readonly { name: string; send: TrialSend }[];

export const runOf = (participants: readonly Participant[], content: string): Run =>
  participants.map(({ name, personaId }) => ({
    name,
    send: {
      personaId,
      content,
      clientConversationId: randomUuid(),
      clientMessageId: randomUuid(),
    },
  }));

export const trialQuery = (send: TrialSend) =>
  queryOptions({
    queryKey: ['trial', send.clientConversationId],
    queryFn: () => sendTrial(send),
  });

/** Ends the running replies and erases all of them; the server erases the rest after a day. */
export function endRun(client: QueryClient, run: Run): void {
  for (const { send } of run) {
    const { queryKey } = trialQuery(send);
    const conversation = client.getQueryData(queryKey);
    client.removeQueries({ queryKey });
    if (conversation) removeTrial(conversation.id).catch(() => undefined);
  }
}
