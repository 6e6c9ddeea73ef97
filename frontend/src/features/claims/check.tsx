import {
  CHECK_BY_DEPTH,
  CHECK_LOST_MS,
  type Message,
  type Reply,
  type ReplyResult,
} from '@stolas/backend/contract';
import { useMutation } from '@tanstack/react-query';
import { ListChecks } from 'lucide-react';
import { t } from '../../i18n/claims.ts';
import { fromServer } from '../../i18n/translate.ts';
import { apiPost, userMessageOf } from '../../lib/api.ts';
import { queryClient } from '../../lib/query-client.ts';
import { messagesKey } from '../../realtime/index.ts';
import { IconButton } from '../../ui/icon-button.tsx';
import { toast } from '../../ui/toast-store.ts';

/** Whether a check may be asked for: there is none, it had nothing to compare with, or it was lost. */
function isOffered({ metadata }: Reply): boolean {
  const { claims, depthReceipt } = metadata ?? {};
  if (depthReceipt && CHECK_BY_DEPTH[depthReceipt.requested] === 'off') return false;
  if (!claims || claims.state === 'not_checked') return true;
  return claims.state === 'checking' && Date.now() - Date.parse(claims.at) > CHECK_LOST_MS;
}

/** Asks for a check; its result comes with the reply. */
export function Check({ reply }: { reply: Reply }) {
  const { mutate, isPending } = useMutation({
    mutationFn: () => apiPost<ReplyResult>(`/api/replies/${reply.id}/check`),
    onSuccess: ({ reply: answered }) => showReply(answered),
    onError: (error) =>
      toast({
        title: t('checkFailed'),
        description: fromServer(userMessageOf(error, t('checkFailedHint'))),
        variant: 'destructive',
      }),
  });
  if (!isOffered(reply)) return null;
  return (
    <IconButton label={t('check')} size="sm" disabled={isPending} onClick={() => mutate()}>
      <ListChecks aria-hidden="true" />
    </IconButton>
  );
}

/** The answer may be older than what the socket has brought since: then that stays. */
function showReply(answered: Reply): void {
  const at = ({ metadata }: Message) => metadata?.claims?.at ?? '';
  queryClient.setQueryData<readonly Message[]>(messagesKey(answered.conversationId), (messages) =>
    messages?.map((message) =>
      message.id === answered.id && at(message) <= at(answered)
        ? { ...message, metadata: { ...message.metadata, ...answered.metadata } }
        : message,
    ),
  );
}
