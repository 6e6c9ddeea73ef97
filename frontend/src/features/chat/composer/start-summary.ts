import { t } from 'virtual:texts/messageCost';
import type { Conversation } from '@stolas/backend/contract';
import { queryClient } from '../../../lib/query-client.ts';
import { deriveTitle } from '../../../lib/title.ts';
import { randomUuid } from '../../../lib/uuid.ts';
import { live, upsertConversation } from '../../../realtime/index.ts';
import { createConversation } from '../api.ts';
import { select } from '../selection.ts';
import { holdFirst } from './post.ts';

/** Starts a conversation whose first reply sums up another one, with the same choices, and opens it. */
export async function startSummary(from: Conversation): Promise<void> {
  const { id, title, personaId, depth, memory, temporary } = from;
  const { sent, ...made } = await createConversation({
    title: deriveTitle(t('title', { title })),
    clientConversationId: randomUuid(),
    memory,
    temporary,
    message: {
      content: t('message', { title }),
      clientMessageId: randomUuid(),
      depth,
      personaId,
      summaryOf: id,
    },
  });
  upsertConversation(queryClient, { ...made, personaId, depth });
  if (sent) {
    holdFirst(sent);
    live.addSent(sent);
  }
  select(made.id);
}
