import { t } from 'virtual:texts/app';
import type { User } from '@stolas/backend/contract';
import { type ComponentType, type ReactNode, useEffect } from 'react';
import { Redirect, Route, Switch, useLocation, useSearch } from 'wouter';
import { SIGNED_IN, useGuestSignOut, useUser } from '../features/auth/index.ts';
import { usePageTitle } from '../lib/page-title.ts';
import { Eye } from '../ui/eye.tsx';
import { lazyPart } from '../ui/lazy-part.tsx';
import { FullScreenSpinner } from '../ui/spinner.tsx';
import { ErrorState } from '../ui/states.tsx';
import { toast } from '../ui/toast-store.ts';
import {
  ArtifactTab,
  ChatScreen,
  FeaturesPage,
  FilesPage,
  InvitationPage,
  LandingPage,
  LoginPage,
  MemoryPage,
  NotFoundPage,
  PersonasPage,
  PrivacyPage,
  ReceiptPage,
  ResetPasswordPage,
  SettingsPage,
  SharedPage,
  Shell,
  SubscriptionPage,
  TestScreen,
  VerifyEmailPage,
  WorkspacePage,
} from './pages.tsx';
import { detourFor } from './redirects.ts';

/** The paths of docs/product.md, 'Screens'. */
export function Routes() {
  return (
    <Switch>
      <Route path="/">
        <InShell Page={ChatScreen} visitor={<LandingPage />} />
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
        <InShell title={t('settings')} Page={SettingsPage} />
      </Route>
      <Route path="/files">
        <InShell title={t('files')} Page={FilesPage} />
      </Route>
      <Route path="/memory">
        <InShell title={t('memory')} Page={MemoryPage} />
      </Route>
      <Route path="/personas">
        <InShell title={t('personas')} Page={PersonasPage} />
      </Route>
      <Route path="/workspace">
        <InShell title={t('workspace')} Page={WorkspacePage} />
      </Route>
      <Route path="/invitation">
        <Titled title={t('invitation')}>
          <InvitationPage />
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
      <Route path="/s/:id">{({ id }) => <SharedPage id={id} />}</Route>
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

const GuestSignOut = lazyPart(
  async () => (await import('../features/auth/guest-sign-out.tsx')).GuestSignOut,
  { missing: 'floating' },
);

/** The confirmation of a guest's sign-out, on every page. */
export function GuestQuestion() {
  const { isOpen } = useGuestSignOut();
  return isOpen && <GuestSignOut />;
}

interface InShellProps {
  /** The conversation names the tab. */
  title?: string;
  Page: ComponentType<{ user: User }>;
  /** The pages of visitors who are not signed in. */
  visitor?: ReactNode;
}

const TO_LOGIN = <Redirect to="/login" replace />;

/**
 * A page of signed-in users. `Switch` renders one route at a time, so React takes the routes of such pages for the same
 * element and keeps the shell when the page changes.
 */
const InShell = ({ title, Page, visitor = TO_LOGIN }: InShellProps) => (
  <Gate>
    {(user) =>
      user ? (
        <Shell user={user}>
          {title === undefined ? (
            <Page user={user} />
          ) : (
            <Titled title={title}>
              <Page user={user} />
            </Titled>
          )}
        </Shell>
      ) : (
        visitor
      )
    }
  </Gate>
);

/** Names the browser tab. The landing page has no name of its own. */
function Titled({ title, children }: { title: string; children: ReactNode }) {
  usePageTitle(title);
  return children;
}

/** Shows a page once the signed-in user is known, or redirects. */
function Gate({ children }: { children: (user: User | null) => ReactNode }) {
  const { user, isLoading, isError, retry } = useUser({ refetchOnMount: true });
  const [path, navigate] = useLocation();
  const detour = detourFor(path, useSearch(), user);
  // Every sign-in passes the plans, so a notice about them would be redundant.
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
  // The page would be visible for a moment only.
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
