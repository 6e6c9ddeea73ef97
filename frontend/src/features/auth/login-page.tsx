import { t as tApp } from 'virtual:texts/app';
import { t } from 'virtual:texts/auth';
import { PLANS, type SignInError } from '@stolas/backend/contract';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Link, useLocation, useSearchParams } from 'wouter';
import { hasPlans } from '../../lib/page-settings.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { FullScreenSpinner } from '../../ui/spinner.tsx';
import { toastError } from '../../ui/toast-store.ts';
import { AuthFrame } from './auth-frame.tsx';
import { CredentialsForm, type Mode } from './credentials-form.tsx';
import { failureText } from './failure-text.ts';
import { useUser } from './hooks.ts';
import { linkAfterSignIn } from './link-token.ts';
import { hasProviders, OtherProviders, ProviderButtons } from './provider-buttons.tsx';
import { completeSignIn, startGuest } from './session.ts';

const SENTENCES = {
  google_unavailable: 'noGoogle',
  replit_unavailable: 'noReplit',
  cancelled: 'cancelled',
  expired: 'expired',
  email_unverified: 'unverified',
  provider_conflict: 'conflict',
  other_account: 'otherAccount',
  failed: 'failed',
} as const satisfies Record<SignInError, string>;

/** The text for a user who returned to /login with `?error=`. The parameter itself is never shown. */
const sentenceFor = (code: string): string =>
  t(Object.hasOwn(SENTENCES, code) ? SENTENCES[code as SignInError] : 'failed');

/** /login. `?plan=` brings a user back to the plan they chose, and a mailed link to its page; `?register=` opens registration. */
export function LoginPage() {
  const { user } = useUser();
  const [params] = useSearchParams();
  const isGuest = user?.subscriptionStatus === 'guest';
  const isUser = user !== null && !isGuest;
  const [mode, setMode] = useState<Mode>(
    isGuest || params.get('register') === 'true' ? 'register' : 'sign-in',
  );
  const registering = mode === 'register';
  const next = linkAfterSignIn() ?? plansPath(params);
  const error = params.get('error');
  useCompletion(params.has('continue'));
  useDemo(params.get('demo') === 'true', isGuest);
  useRefusal(isUser ? error : null);
  if (isUser || params.has('continue') || params.get('demo') === 'true')
    return <FullScreenSpinner />;

  return (
    <AuthFrame title="STOLAS" line={tApp('tagline')}>
      {error !== null && (
        <Banner tone="danger" className="mb-6">
          <span role="alert">{sentenceFor(error)}</span>
        </Banner>
      )}
      {isGuest && <Banner className="mb-6">{t('guestNote')}</Banner>}
      {registering && <PlanStep plan={params.get('plan')} />}
      {hasProviders() && (
        <>
          <ProviderButtons next={next} />
          <Divider />
        </>
      )}
      <CredentialsForm key={mode} mode={mode} next={next} />
      {isGuest ? <GuestLink /> : <GuestButton />}
      <OtherProviders next={next} />
      <div className="mt-2 grid justify-items-center gap-2 text-sm">
        <LinkButton onClick={() => setMode(registering ? 'sign-in' : 'register')}>
          {registering ? t('toSignIn') : t('toRegister')}
        </LinkButton>
        {!registering && (
          <Link href="/reset-password" className={LINK}>
            {t('forgot')}
          </Link>
        )}
        <Link href="/privacy" className={LINK}>
          {t('privacy')}
        </Link>
      </div>
    </AuthFrame>
  );
}

/** The plans, with the one that the user was about to choose. */
function plansPath(params: URLSearchParams): string {
  if (!hasPlans()) return '/';
  const chosen = [...params].filter(([name]) => name === 'plan' || name === 'interval');
  return chosen.length ? `/subscription?${new URLSearchParams(chosen)}` : '/subscription';
}

/** Completes a sign-in by redirect (`?continue=`). */
function useCompletion(begun: boolean): void {
  const [, navigate] = useLocation();
  // The call works only once, and effects may run twice.
  const asked = useRef(false);
  useEffect(() => {
    if (!begun || asked.current) return;
    asked.current = true;
    completeSignIn().catch((error: unknown) => {
      navigate('/login', { replace: true });
      toastError(t('signInFailed'), failureText(error));
    });
  }, [begun, navigate]);
}

/** `?error=` of a user who was to sign in again, and stays signed in: a notice on the next page has the reason. */
function useRefusal(error: string | null): void {
  const [, navigate] = useLocation();
  useEffect(() => {
    if (error === null) return;
    navigate('/login', { replace: true });
    toastError(t('signInFailed'), sentenceFor(error));
  }, [error, navigate]);
}

/** `?demo=true`: opens the chat of the guest, or starts a guest session. */
function useDemo(isAsked: boolean, isGuest: boolean): void {
  const [, navigate] = useLocation();
  // Effects may run twice.
  const begun = useRef(false);
  useEffect(() => {
    if (!isAsked || begun.current) return;
    begun.current = true;
    if (isGuest) return navigate('/', { replace: true });
    startGuest().catch(() => {
      navigate('/login', { replace: true });
      showGuestError();
    });
  }, [isAsked, isGuest, navigate]);
}

function showGuestError(): void {
  toastError(t('guestFailed'), t('later'));
}

/** Which plan the new account is for; the second step is the payment. */
function PlanStep({ plan }: { plan: string | null }) {
  const chosen = PLANS.find(({ id }) => id === plan);
  return (
    chosen && (
      <p className="mb-6 text-center text-sm font-medium">{t('planStep', { plan: chosen.name })}</p>
    )
  );
}

/** Back to the guest's own conversations. */
const GuestLink = () => (
  <Button asChild className="mt-3 w-full">
    <Link href="/">{t('continueAsGuest')}</Link>
  </Button>
);

function GuestButton() {
  const guest = useMutation({
    mutationFn: startGuest,
    onError: showGuestError,
  });
  return (
    <Button className="mt-3 w-full" onClick={() => guest.mutate()} busy={guest.isPending}>
      {t('guest')}
    </Button>
  );
}

const LINK =
  'inline-flex items-center rounded-sm px-2 py-1 text-cool underline-offset-4 hover:underline pointer-coarse:min-h-11';

function LinkButton(props: { onClick: () => void; children: string }) {
  return <button type="button" className={LINK} {...props} />;
}

const Divider = () => (
  <div className="my-6 flex items-center gap-3 text-xs text-muted" aria-hidden="true">
    <span className="h-px flex-1 bg-line" />
    {t('or')}
    <span className="h-px flex-1 bg-line" />
  </div>
);
