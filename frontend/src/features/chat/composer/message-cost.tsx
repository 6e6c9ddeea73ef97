import { t } from 'virtual:texts/messageCost';
import type { Conversation, Reply, ReplyUsage, User } from '@stolas/backend/contract';
import { useMutation, useQuery } from '@tanstack/react-query';
import { apiGet } from '../../../lib/api.ts';
import { formatNumber } from '../../../lib/number.ts';
import { queryClient } from '../../../lib/query-client.ts';
import { deriveTitle } from '../../../lib/title.ts';
import { live, upsertConversation } from '../../../realtime/index.ts';
import { Button } from '../../../ui/button.tsx';
import { knownPools } from '../../workspaces/index.ts';
import { createConversation } from '../api.ts';
import { isOwn } from '../role.ts';
import { select, selected } from '../selection.ts';
import { withRequestId } from '../sending/request-id.ts';
import { showSendError } from '../sending/send-errors.ts';
import { useConversation } from '../use-conversation.ts';

interface MessageCostProps {
  user: User;
  /** The last reply that has ended: the next one costs about as much. */
  reply: Reply;
  /** Fewer messages are not shown. */
  minTokens: number;
  /** Undefined where somebody else pays: what is left there is not known. */
  left: { tokens: number; messages: number } | undefined;
  isBusy: boolean;
}

export function MessageCost({ user, reply, minTokens, left, isBusy }: MessageCostProps) {
  const { id, attempt, conversationId } = reply;
  const conversation = useConversation(conversationId);
  const { data: usage } = useQuery({
    queryKey: ['reply-cost', id, attempt],
    queryFn: ({ signal }) =>
      apiGet<ReplyUsage>(`/api/replies/${id}/usage`, { signal, on401: 'throw' }),
  });
  const summary = useMutation({
    mutationFn: startSummary,
    onError: (error) => showSendError(error, user),
  });
  const cost = usage ? costOf(usage) : 0;
  const count = Math.floor((left?.tokens ?? 0) / Math.max(1, cost));
  if (!conversation || cost < minTokens) return null;
  if (left ? count >= left.messages : !isOwn(conversation)) return null;
  return (
    <div
      data-message-cost
      className="flex flex-wrap items-center gap-x-2 px-2 pb-1 text-xs text-muted tabular-nums"
    >
      <p>
        {t('costs', { tokens: formatNumber(rounded(cost)) })}{' '}
        {left && (count > 0 ? t('fits', { count }) : t('isShort'))}
      </p>
      {isOwn(conversation) && (
        <Button
          size="sm"
          variant="ghost"
          // On a phone it stands below the text, aligned with the start of the text.
          className="max-sm:-ml-3"
          disabled={isBusy}
          busy={summary.isPending}
          onClick={() => summary.mutate(conversation)}
        >
          {t('summary')}
        </Button>
      )}
    </div>
  );
}

/** The charge of the last attempt at the reply. */
function costOf({ entries }: ReplyUsage): number {
  const charged = entries.filter(({ kind, state }) => kind === 'reply' && state === 'settled');
  return charged.at(-1)?.tokens ?? 0;
}

/** To two digits: the next reply may be shorter or longer. */
const rounded = (tokens: number): number => Number(tokens.toPrecision(2));

/** Starts a conversation whose first reply sums up another one, with the same choices, and opens it unless the user has gone elsewhere. */
export async function startSummary(from: Conversation): Promise<void> {
  const { id, title, personaId, panel, depth, memory, temporary, workspaceId, activeLeafId } = from;
  const isPaid = knownPools().some((pool) => pool.id === workspaceId);
  const { sent, ...made } = await withRequestId(`summary ${id} ${activeLeafId}`, (requestId) =>
    createConversation({
      title: deriveTitle(t('title', { title })),
      clientConversationId: requestId,
      memory,
      temporary,
      ...(isPaid && workspaceId && { workspaceId }),
      message: {
        content: t('message', { title }),
        clientMessageId: requestId,
        depth,
        personaId,
        ...(panel && { panel }),
        summaryOf: id,
      },
    }),
  );
  upsertConversation(queryClient, { ...made, personaId, ...(panel && { panel }), depth });
  if (sent) {
    live.addFirst(sent);
    live.addSent(sent);
  }
  if (selected() === id) select(made.id);
}
