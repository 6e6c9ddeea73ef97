import { t as app } from 'virtual:texts/app';
import { t } from 'virtual:texts/workspace';
import type { InvitationView } from '@stolas/backend/contract';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { navigate } from 'wouter/use-browser-location';
import { ApiError, userMessageOf } from '../../lib/api.ts';
import { Button } from '../../ui/button.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { toast } from '../../ui/toast-store.ts';
import { AuthFrame, returnAfterSignIn, useAction, useLinkToken, useUser } from '../auth/index.ts';
import { acceptInvitation, readAgain, readInvitation } from './api.ts';
import { roleName } from './roles.ts';

/** /invitation: opened by a mailed link (`#token=`). The user joins by a click, never by loading the page. */
export function InvitationPage() {
  const { token } = useLinkToken();
  const { user, isLoading } = useUser();
  return (
    <AuthFrame title={t('invitation')}>
      {token === null ? (
        <Sentence text={t('incomplete')} next={<Home />} />
      ) : isLoading ? (
        <Spinner className="mx-auto size-6" />
      ) : user && user.subscriptionStatus !== 'guest' ? (
        <Offer key={`${token} ${user.id}`} token={token} />
      ) : (
        <Sentence text={t('signInFirst')} next={<SignIn token={token} />} />
      )}
    </AuthFrame>
  );
}

function Offer({ token }: { token: string }) {
  const { data, error } = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => readInvitation(token),
    retry: (count, problem) => !(problem instanceof ApiError) && count < 2,
    gcTime: 0,
  });
  if (error) return <Sentence text={failureText(error)} next={<Home />} />;
  if (!data) return <Spinner className="mx-auto size-6" />;
  return <Join token={token} view={data} />;
}

function Join({ token, view }: { token: string; view: InvitationView }) {
  const { run, isPending } = useAction({
    run: () => acceptInvitation(token),
    onDone: ({ wasMember }) => {
      toast({ title: wasMember ? t('wasMember') : t('joined') });
      readAgain();
      navigate('/workspace', { replace: true });
    },
    failed: t('notJoined'),
  });
  return (
    <div className="grid gap-6">
      <div className="grid gap-2 text-center text-balance">
        <p className="text-lg font-medium wrap-anywhere">
          <bdi>{view.workspaceName}</bdi>
        </p>
        <p>{t('invited', { owner: view.ownerName, role: roleName(view.role) })}</p>
        <p className="text-sm text-muted">{t('whatIsSeen')}</p>
      </div>
      <Button variant="primary" busy={isPending} onClick={run}>
        {t('join')}
      </Button>
    </div>
  );
}

/** The address that the link is for is known by the holder of its mailbox, so only its ends are shown. */
function failureText(error: Error): string {
  const email = error instanceof ApiError ? error.body?.details?.email : undefined;
  if (typeof email === 'string') return t('forAnother', { email });
  return userMessageOf(error, app('checkConnection'));
}

const Sentence = ({ text, next }: { text: string; next: ReactNode }) => (
  <div className="grid gap-6">
    <output className="text-center text-balance">{text}</output>
    {next}
  </div>
);

const Home = () => (
  <Button asChild>
    <Link href="/">{t('home')}</Link>
  </Button>
);

const SignIn = ({ token }: { token: string }) => (
  <Button asChild variant="primary">
    <Link href="/login" onClick={() => returnAfterSignIn('/invitation', token)}>
      {t('signIn')}
    </Link>
  </Button>
);
