import { t as common } from 'virtual:texts/app';
import { t } from 'virtual:texts/chat';
import type { User } from '@stolas/backend/contract';
import { Clock, RotateCcw, Undo2 } from 'lucide-react';
import { Link } from 'wouter';
import { useIsOnline } from '../../../lib/online.ts';
import { Button } from '../../../ui/button.tsx';
import { useMayWrite } from '../role.ts';
import { useIsBusy } from '../sending/busy.ts';
import { deliver, retryUnsent, returnToComposer } from '../sending/deliver.ts';
import { type UnsentMessage, useIsSending, useUnsent } from '../sending/outbox.ts';
import { focusComposer } from '../text-box.ts';
import { PendingMessage } from './user-message.tsx';

interface UnsentRowProps {
  user: User;
  message: UnsentMessage;
  /** Whether its conversation was deleted, or is not the user's to read. */
  isGone?: boolean;
}

/** A message that waits until the server is reachable, or that the server has refused. */
export function UnsentRow({ user, message, isGone = false }: UnsentRowProps) {
  const mayWrite = useMayWrite(message.conversationId) && !isGone;
  const isSending = useIsSending(message.clientMessageId);
  const state = useWaitingState(message);
  const { problem } = message;
  const retry = () => {
    retryUnsent(user.id, message);
    void deliver(user);
  };
  return (
    <PendingMessage send={message} busy={isSending}>
      <div className="mt-1 flex max-w-full flex-wrap items-center justify-end gap-x-2 gap-y-1 text-xs text-muted">
        <output className="flex min-w-0 items-center gap-1.5">
          {problem ? (
            <span className="text-danger">
              {problem.title ? `${problem.title}. ${problem.message}` : problem.message}
            </span>
          ) : (
            <>
              <Clock aria-hidden="true" className="size-3.5 shrink-0" />
              {isSending ? t('sending') : mayWrite ? state : t('notSentYet')}
            </>
          )}
        </output>
        <div className="flex flex-wrap justify-end">
          {problem?.link && (
            <Button asChild size="sm" variant="ghost">
              <Link href={problem.link.path}>{problem.link.label}</Link>
            </Button>
          )}
          {mayWrite && (
            <Button size="sm" variant="ghost" disabled={isSending} onClick={retry}>
              <RotateCcw aria-hidden="true" className="size-4" />
              {common('tryAgain')}
            </Button>
          )}
          <Button
            size="sm"
            variant="ghost"
            disabled={isSending}
            onClick={() => {
              returnToComposer(user.id, message, { mayWrite });
              focusComposer();
            }}
          >
            <Undo2 aria-hidden="true" className="size-4" />
            {common('cancel')}
          </Button>
        </div>
      </div>
    </PendingMessage>
  );
}

/** What a message waits for. Those of a conversation are sent in their order, each after the reply to the one before. */
function useWaitingState(message: UnsentMessage): string {
  const { conversationId, clientMessageId, unconfirmedSince } = message;
  const isOnline = useIsOnline();
  const isBusy = useIsBusy(conversationId);
  const unsent = useUnsent(conversationId);
  const above = unsent.slice(
    0,
    unsent.findIndex((other) => other.clientMessageId === clientMessageId),
  );
  if (!isOnline) return t('sendsWhenOnline');
  if (unconfirmedSince) return t('checkingSent');
  if (above.some(({ problem }) => problem)) return t('sendsAfterProblem');
  return isBusy || above.length > 0 ? t('sendsAfterReply') : t('sendsWhenOnline');
}

/** The unsent messages of a conversation that is gone: their texts are seen, and can be taken to a new chat. */
export function LeftMessages({ user, conversationId }: { user: User; conversationId: string }) {
  const unsent = useUnsent(conversationId);
  return (
    <div className="grid gap-5 pb-5 empty:hidden">
      {unsent.map((message) => (
        <UnsentRow key={message.clientMessageId} user={user} message={message} isGone />
      ))}
    </div>
  );
}
