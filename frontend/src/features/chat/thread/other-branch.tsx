import { t } from 'virtual:texts/chat';
import type { Message } from '@stolas/backend/contract';
import { useMutation } from '@tanstack/react-query';
import { useEffect } from 'react';
import { forgetElsewhere, useActivity } from '../../../realtime/index.ts';
import { Button } from '../../../ui/button.tsx';
import { COLUMN } from '../../../ui/message-look.tsx';
import { showFailure } from '../../auth/index.ts';
import { showBranch } from '../show-branch.ts';
import { focusComposer } from '../text-box.ts';

/** Says that somebody else wrote on another branch, and goes there; until the conversation is left or the branch is shown. */
export function OtherBranch({
  conversationId,
  messages,
}: {
  conversationId: string;
  messages: readonly Message[];
}) {
  const other = useActivity(({ elsewhere }) => elsewhere[conversationId]);
  const isShown = messages.some(({ id }) => id === other?.replyId);
  const show = useMutation({
    mutationFn: (replyId: string) => showBranch(conversationId, replyId),
    // Its button is removed.
    onSuccess: focusComposer,
    onError: showFailure(t('versionFailed')),
  });
  useEffect(() => {
    if (isShown) forgetElsewhere(conversationId);
  }, [isShown, conversationId]);
  useEffect(() => () => forgetElsewhere(conversationId), [conversationId]);
  return (
    <output className={other && !isShown ? `${COLUMN} block text-sm text-muted` : 'sr-only'}>
      {other && !isShown && (
        <>
          <bdi>{t('wroteElsewhere', { name: other.name })}</bdi>
          {' · '}
          <Button
            size="sm"
            variant="ghost"
            disabled={show.isPending}
            onClick={() => show.mutate(other.replyId)}
          >
            {t('showBranch')}
          </Button>
        </>
      )}
    </output>
  );
}
