import { t } from 'virtual:texts/chat';
import type { User } from '@stolas/backend/contract';
import { isGone } from '../../../lib/api.ts';
import { Button } from '../../../ui/button.tsx';
import { EmptyState, ErrorState } from '../../../ui/states.tsx';
import { continueInNewChat } from '../sending/attachments.ts';
import { LeftMessages } from './unsent-row.tsx';

interface LoadErrorProps {
  user: User;
  conversationId: string;
  error: Error;
  onRetry: () => void;
}

/** In the place of messages that could not be loaded. */
export function LoadError({ user, conversationId, error, onRetry }: LoadErrorProps) {
  if (isGone(error)) {
    return (
      <>
        <EmptyState className="my-auto" title={t('notHereTitle')} description={t('notHereText')}>
          <Button onClick={() => continueInNewChat(user.id, conversationId)}>
            {t('newChatButton')}
          </Button>
        </EmptyState>
        <LeftMessages user={user} conversationId={conversationId} />
      </>
    );
  }
  return (
    <div className="my-auto">
      <ErrorState
        title={t('messagesFailedTitle')}
        description={t('messagesFailedText')}
        onRetry={onRetry}
      />
    </div>
  );
}
