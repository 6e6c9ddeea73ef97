import type { CreatedConversation } from '@stolas/backend/contract';
import { type Query, type QueryClient, queryOptions } from '@tanstack/react-query';
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

/**
 * Ends the running replies and erases all of them, those whose conversation is being created as soon as it is; the server erases the rest
 * after a day.
 */
export function endRun(client: QueryClient, run: Run): void {
  const queries = client.getQueryCache();
  for (const { send } of run) {
    const { queryKey } = trialQuery(send);
    const query = queries.find<CreatedConversation>({ queryKey });
    if (query)
      void erase(query)
        .catch(() => undefined)
        .finally(() => queries.remove(query));
  }
}

async function erase({ state: { data }, promise }: Query<CreatedConversation>): Promise<void> {
  const created = data ?? (await promise);
  if (created) await removeTrial(created.id);
}
