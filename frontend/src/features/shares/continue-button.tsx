import { t } from 'virtual:texts/sharedPage';
import type { SharedPage } from '@stolas/backend/contract';
import { useState } from 'react';
import { Link } from 'wouter';
import { navigate } from 'wouter/use-browser-location';
import { ApiError } from '../../lib/api.ts';
import { getAuthToken } from '../../lib/auth-token.ts';
import { queryClient } from '../../lib/query-client.ts';
import { randomUuid } from '../../lib/uuid.ts';
import { Button } from '../../ui/button.tsx';
import { returnAfterSignIn, useAction } from '../auth/index.ts';
import { continueShare, needsAccount, sharedQuery } from './api.ts';

interface ContinueButtonProps {
  id: string;
  page: Pick<SharedPage, 'revision' | 'messages'>;
}

/** Copies what the link shows into a conversation of the reader, after a sign-in. */
export function ContinueButton({ id, page }: ContinueButtonProps) {
  if (page.messages.length === 0) return null;
  if (getAuthToken() !== null) return <Copying id={id} revision={page.revision} />;
  return (
    <Button asChild variant="primary">
      <Link href="/login" onClick={() => returnAfterSignIn(`/s/${id}`)}>
        {t('continue')}
      </Link>
    </Button>
  );
}

function Copying({ id, revision }: { id: string; revision: string }) {
  // A repeated click copies the same, once.
  const [copy] = useState(randomUuid);
  const [asked, setAsked] = useState<string>();
  const hasChanged = asked !== undefined && asked !== revision;
  const { run, isPending } = useAction({
    run: async () => {
      setAsked(revision);
      try {
        const conversation = await continueShare(id, { revision, clientConversationId: copy });
        navigate(`/?c=${conversation.id}`);
      } catch (error) {
        if (error instanceof ApiError && needsAccount(error)) return signInFirst(id);
        if (isChanged(error)) await queryClient.refetchQueries(sharedQuery(id));
        throw error;
      }
    },
    failed: t('notContinued'),
  });
  return (
    <div className="grid justify-items-start gap-2">
      <Button variant="primary" busy={isPending} onClick={run}>
        {hasChanged ? t('continueChanged') : t('continue')}
      </Button>
      <output className="text-sm text-muted">{hasChanged && t('hasChanged')}</output>
    </div>
  );
}

/** The session is a guest's, or has ended. */
function signInFirst(id: string): void {
  returnAfterSignIn(`/s/${id}`);
  navigate('/login');
}

const isChanged = (error: unknown): boolean => error instanceof ApiError && error.status === 409;
