import { t } from 'virtual:texts/claims';
import {
  CHECK_BY_DEPTH,
  CHECK_LOST_MS,
  type Message,
  type Reply,
  type ReplyResult,
} from '@stolas/backend/contract';
import { ListChecks } from 'lucide-react';
import { apiPost } from '../../lib/api.ts';
import { queryClient } from '../../lib/query-client.ts';
import { messagesKey } from '../../realtime/index.ts';
import { Button } from '../../ui/button.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { useAction } from '../auth/index.ts';

/** Whether a check may be asked for: there is none, it had nothing to compare with, or it was lost. */
function isOffered({ metadata }: Reply): boolean {
  const { claims, depthReceipt } = metadata ?? {};
  if (depthReceipt && CHECK_BY_DEPTH[depthReceipt.requested] === 'off') return false;
  if (!claims || claims.state === 'not_checked') return true;
  return claims.state === 'checking' && Date.now() - Date.parse(claims.at) > CHECK_LOST_MS;
}

interface CheckProps {
  reply: Reply;
  /** Whether the button has a label; without sources it is only an icon: a message may still quote one. */
  hasSources: boolean;
}

/** Asks for a check; its result comes with the reply. */
export function Check({ reply, hasSources }: CheckProps) {
  const { run, isPending } = useAction({
    run: () => apiPost<ReplyResult>(`/api/replies/${reply.id}/check`),
    onDone: ({ reply: answered }) => showReply(answered),
    failed: t('checkFailed'),
  });
  if (!isOffered(reply)) return null;
  if (hasSources) {
    return (
      <Button variant="ghost" size="sm" className="px-2 text-xs" busy={isPending} onClick={run}>
        {!isPending && <ListChecks aria-hidden="true" className="size-4" />}
        {t('check')}
      </Button>
    );
  }
  return (
    <IconButton label={t('check')} size="sm" disabled={isPending} onClick={run}>
      <ListChecks aria-hidden="true" />
    </IconButton>
  );
}

/** The answer may be older than a reply that the socket has brought since; the newer one stays. */
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
