import { t as common } from 'virtual:texts/app';
import { t } from 'virtual:texts/chat';
import type { User } from '@stolas/backend/contract';
import { Clock, RotateCcw, Undo2 } from 'lucide-react';
import { Link } from 'wouter';
import { Button } from '../../../ui/button.tsx';
import { deliver, retryUnsent, returnToComposer } from '../sending/deliver.ts';
import { type UnsentMessage, useIsSending } from '../sending/outbox.ts';
import { focusComposer } from '../text-box.ts';
import { PendingMessage } from './user-message.tsx';

/** A message that waits until the server is reachable, or that the server has refused. */
export function UnsentRow({ user, message }: { user: User; message: UnsentMessage }) {
  const isSending = useIsSending(message.clientMessageId);
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
              {isSending ? t('sending') : stateOf(message)}
            </>
          )}
        </output>
        <div className="flex flex-wrap justify-end">
          {problem?.link && (
            <Button asChild size="sm" variant="ghost">
              <Link href={problem.link.path}>{problem.link.label}</Link>
            </Button>
          )}
          <Button size="sm" variant="ghost" disabled={isSending} onClick={retry}>
            <RotateCcw aria-hidden="true" className="size-4" />
            {common('tryAgain')}
          </Button>
          <Button
            size="sm"
            variant="ghost"
            disabled={isSending}
            onClick={() => {
              returnToComposer(user.id, message);
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

const stateOf = ({ unconfirmedSince }: UnsentMessage): string =>
  unconfirmedSince && navigator.onLine ? t('checkingSent') : t('sendsWhenOnline');
