import { t as tApp } from 'virtual:texts/app';
import { t as tForms } from 'virtual:texts/forms';
import { t } from 'virtual:texts/mailedLinks';
import type { ConfirmEmailBody, MessageResult } from '@stolas/backend/contract';
import { CircleCheck, CircleX } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { fromServer } from '../../i18n/translate.ts';
import { ApiError, apiPost, userMessageOf } from '../../lib/api.ts';
import { getAuthToken } from '../../lib/auth-token.ts';
import { refreshUser } from '../../lib/query-client.ts';
import { useForm } from '../../lib/use-form.ts';
import { Button } from '../../ui/button.tsx';
import { PasswordField } from '../../ui/password-field.tsx';
import { AuthFrame } from './auth-frame.tsx';
import { useUser } from './hooks.ts';
import { isLinkOver, returnAfterSignIn, useLinkToken } from './link-token.ts';

const isSignedIn = () => getAuthToken() !== null;

/** /verify-email: opened by a mailed link (`#token=`). The address is confirmed by a click, never by loading the page. */
export function VerifyEmailPage() {
  const { token } = useLinkToken();
  const [confirmed] = useState(confirmedBefore);
  return (
    <AuthFrame title={t('email')}>
      {token === null && confirmed !== undefined && <Confirmed sentence={confirmed} />}
      {token === null && confirmed === undefined && (
        <Ended
          ok={false}
          sentence={t('incomplete')}
          next={isSignedIn() ? toStolas() : toSignIn()}
        />
      )}
      {token !== null && <Confirmation key={token} token={token} />}
    </AuthFrame>
  );
}

/** The server's answer when this page confirmed the address: a reload shows it again. */
function confirmedBefore(): string | undefined {
  const state: unknown = history.state;
  const sentence = state && typeof state === 'object' && CONFIRMED in state && state[CONFIRMED];
  return typeof sentence === 'string' ? sentence : undefined;
}

const CONFIRMED = 'confirmed';

const keepConfirmed = (sentence: string) =>
  history.replaceState({ [CONFIRMED]: sentence }, '', location.href);

const Confirmed = ({ sentence }: { sentence: string }) => (
  <Ended ok sentence={fromServer(sentence)} next={isSignedIn() ? toStolas() : toSignIn()} />
);

type Step =
  | { kind: 'ask' | 'prove' | 'failed'; sentence: string }
  | { kind: 'done' | 'over'; sentence: string };

function Confirmation({ token }: { token: string }) {
  const [step, setStep] = useState<Step>(() => ({ kind: 'ask', sentence: t('ask') }));
  const { onSubmit, isPending, errorOf } = useForm({
    send: (value) => {
      const password = value('password');
      const body: ConfirmEmailBody = { token, ...(password && { password }) };
      return apiPost<MessageResult>('/api/auth/email/confirm', body);
    },
    onDone: ({ message }) => {
      setStep({ kind: 'done', sentence: message });
      keepConfirmed(message);
      if (isSignedIn()) void refreshUser();
    },
    onFailure: (error) => setStep(stepAfter(error)),
  });
  if (step.kind === 'done') return <Confirmed sentence={step.sentence} />;
  if (step.kind === 'over')
    return (
      <Ended ok={false} sentence={step.sentence} next={isSignedIn() ? toSettings() : toSignIn()} />
    );
  return (
    <form onSubmit={onSubmit} className="grid gap-4">
      <p role={step.kind === 'ask' ? undefined : 'alert'} className="text-center text-balance">
        {step.sentence}
      </p>
      {step.kind === 'prove' && (
        <PasswordField
          label={tForms('password')}
          name="password"
          autoComplete="current-password"
          error={errorOf('password')}
        />
      )}
      <Button type="submit" variant="primary" busy={isPending}>
        {step.kind === 'failed' ? t('tryAgain') : t('confirm')}
      </Button>
      {step.kind === 'prove' && <SignInFirst token={token} />}
    </form>
  );
}

/** Not for a user of another account. A token may be that of a session which has ended. */
function SignInFirst({ token }: { token: string }) {
  const { user, isLoading } = useUser();
  if (user || isLoading) return null;
  return (
    <Button asChild>
      <Link href="/login" onClick={() => returnAfterSignIn('/verify-email', token)}>
        {t('signInFirst')}
      </Link>
    </Button>
  );
}

function stepAfter(error: Error): Step {
  const sentence = userMessageOf(error, t('noConnection'));
  if (isLinkOver(error)) return { kind: 'over', sentence };
  const needsProof = error instanceof ApiError && error.body?.code === 'reauthentication_required';
  return { kind: needsProof ? 'prove' : 'failed', sentence };
}

const toSignIn = () => ({ label: tApp('signIn'), href: '/login' });
const toSettings = () => ({ label: t('goToSettings'), href: '/settings' });
const toStolas = () => ({ label: t('goToStolas'), href: '/' });

function Ended({
  ok,
  sentence,
  next,
}: {
  ok: boolean;
  sentence: string;
  next: { label: string; href: string };
}) {
  return (
    <div className="grid gap-6">
      <output className="grid min-h-24 justify-items-center gap-3 text-center">
        {ok ? <Success /> : <Failure />}
        <p className="text-balance">{sentence}</p>
      </output>
      <Button asChild variant="primary" className="w-full">
        <Link href={next.href}>{next.label}</Link>
      </Button>
    </div>
  );
}

const Success = (): ReactNode => <CircleCheck aria-hidden="true" className="size-8 text-success" />;
const Failure = (): ReactNode => <CircleX aria-hidden="true" className="size-8 text-danger" />;
