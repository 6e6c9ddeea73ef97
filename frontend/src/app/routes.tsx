import { t } from 'virtual:texts/app';
import { mayChat, type User } from '@stolas/backend/contract';
import { lazy, type ReactNode, Suspense, useEffect } from 'react';
import { Redirect, Route, Switch, useLocation, useSearch } from 'wouter';
import { SIGNED_IN, useGuestSignOut, useUser } from '../features/auth/index.ts';
import { usePageTitle } from '../lib/page-title.ts';
import { Eye } from '../ui/eye.tsx';
import { PageHeader } from '../ui/page-header.tsx';
import { FullScreenSpinner } from '../ui/spinner.tsx';
import { ErrorState } from '../ui/states.tsx';
import { toast } from '../ui/toast-store.ts';
import {
  ArtifactTab,
  ChatScreen,
  FeaturesPage,
  FilesPage,
  LandingPage,
  LoginPage,
  MemoryPage,
  NotFoundPage,
  PersonasPage,
  PrivacyPage,
  ReceiptPage,
  ResetPasswordPage,
  SettingsPage,
  Shell,
  SubscriptionPage,
  TestScreen,
  VerifyEmailPage,
} from './pages.tsx';
import { detourFor } from './redirects.ts';

/** The paths of docs/product.md, 'Screens'. */
export function Routes() {
  return (
    <Switch>
      <Route path="/">
        <Gate>{(user) => (user ? <ChatScreen /> : <LandingPage />)}</Gate>
      </Route>
      <Route path="/login">
        <Titled title={t('signInPage')}>
          <Gate>{() => <LoginPage />}</Gate>
        </Titled>
      </Route>
      <Route path="/subscription">
        <Titled title={t('plansPage')}>
          <Gate>{() => <SubscriptionPage />}</Gate>
        </Titled>
      </Route>
      <Route path="/settings">
        <Titled title={t('settings')}>
          <SignedIn>
            <SettingsPage />
          </SignedIn>
        </Titled>
      </Route>
      <Route path="/files">
        <Titled title={t('files')}>
          <SignedIn>
            <FilesPage />
          </SignedIn>
        </Titled>
      </Route>
      <Route path="/memory">
        <Titled title={t('memory')}>
          <SignedIn>
            <MemoryPage />
          </SignedIn>
        </Titled>
      </Route>
      <Route path="/personas">
        <Titled title={t('personas')}>
          <SignedIn>
            <PersonasPage />
          </SignedIn>
        </Titled>
      </Route>
      <Route path="/artifact">
        <Gate>{(user) => (user ? <ArtifactTab /> : <Redirect to="/login" replace />)}</Gate>
      </Route>
      <Route path="/reset-password">
        <Titled title={t('resetPage')}>
          <ResetPasswordPage />
        </Titled>
      </Route>
      <Route path="/verify-email">
        <Titled title={t('verifyPage')}>
          <VerifyEmailPage />
        </Titled>
      </Route>
      <Route path="/privacy">
        <PrivacyPage />
      </Route>
      <Route path="/features">
        <FeaturesPage />
      </Route>
      <Route path="/deleted/:id">{({ id }) => <ReceiptPage id={id} />}</Route>
      <Route path="/test">
        <Titled title={t('testPage')}>
          <TestScreen />
        </Titled>
      </Route>
      <Route>
        <Titled title={t('notFoundPage')}>
          <NotFoundPage />
        </Titled>
      </Route>
    </Switch>
  );
}

const GuestSignOut = lazy(async () => ({
  default: (await import('../features/auth/guest-sign-out.tsx')).GuestSignOut,
}));

/** The question to a guest who signs out, from whichever page. */
export function GuestQuestion() {
  const { isOpen } = useGuestSignOut();
  return (
    isOpen && (
      <Suspense>
        <GuestSignOut />
      </Suspense>
    )
  );
}

/** A page of signed-in users, beside the sidebar of those who may chat. */
const SignedIn = ({ children }: { children: ReactNode }) => (
  <Gate>
    {(user) => {
      if (!user) return <Redirect to="/login" replace />;
      if (mayChat(user)) return <Shell user={user}>{children}</Shell>;
      return (
        <div className="flex h-dvh flex-col">
          <PageHeader />
          {children}
        </div>
      );
    }}
  </Gate>
);

/** Names the browser tab. The landing page has no name of its own, and the chat is named after its conversation. */
function Titled({ title, children }: { title: string; children: ReactNode }) {
  usePageTitle(title);
  return children;
}

/** Shows a page once the signed-in user is known, or redirects. */
function Gate({ children }: { children: (user: User | null) => ReactNode }) {
  const { user, isLoading, isError, retry } = useUser({ refetchOnMount: true });
  const [path, navigate] = useLocation();
  const detour = detourFor(path, useSearch(), user);
  // After a sign-in every user comes by the plans: a notice about them would inform nobody.
  const wait = history.state === SIGNED_IN ? undefined : detour?.after;
  const to = detour?.to;

  useEffect(() => {
    if (wait === undefined || !to) return undefined;
    toast({ title: t('subscribed'), description: t('subscribedLine') });
    const timer = setTimeout(() => navigate(to, { replace: true }), wait);
    return () => clearTimeout(timer);
  }, [wait, to, navigate]);

  if (isLoading) return <FullScreenSpinner />;
  if (isError) return <Unreachable onRetry={retry} />;
  if (detour && wait === undefined) return <Redirect to={detour.to} replace />;
  // The page would only flash.
  if (detour) return <FullScreenSpinner />;
  return children(user);
}

const Unreachable = ({ onRetry }: { onRetry: () => void }) => (
  <main className="grid min-h-dvh place-items-center">
    <ErrorState
      icon={<Eye />}
      title={t('unreachable')}
      description={t('unreachableLine')}
      onRetry={onRetry}
    />
  </main>
);
