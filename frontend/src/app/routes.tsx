import type { User } from '@stolas/backend/contract';
import { type ReactNode, useEffect } from 'react';
import { Redirect, Route, Switch, useLocation, useSearch } from 'wouter';
import { useUser } from '../features/auth/index.ts';
import { Eye } from '../ui/eye.tsx';
import { FullScreenSpinner } from '../ui/spinner.tsx';
import { ErrorState } from '../ui/states.tsx';
import { toast } from '../ui/toast-store.ts';
import { NotFoundPage } from './not-found-page.tsx';
import {
  ChatScreen,
  FilesPage,
  LandingPage,
  LoginPage,
  ResetPasswordPage,
  SettingsPage,
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
        <Gate>{() => <LoginPage />}</Gate>
      </Route>
      <Route path="/subscription">
        <Gate>{() => <SubscriptionPage />}</Gate>
      </Route>
      <Route path="/settings">
        <Gate>{(user) => (user ? <SettingsPage /> : <Redirect to="/login" replace />)}</Gate>
      </Route>
      <Route path="/files">
        <Gate>{(user) => (user ? <FilesPage /> : <Redirect to="/login" replace />)}</Gate>
      </Route>
      <Route path="/reset-password">
        <ResetPasswordPage />
      </Route>
      <Route path="/verify-email">
        <VerifyEmailPage />
      </Route>
      <Route path="/test">
        <TestScreen />
      </Route>
      <Route>
        <NotFoundPage />
      </Route>
    </Switch>
  );
}

/** Shows a page once the signed-in user is known, or redirects. */
function Gate({ children }: { children: (user: User | null) => ReactNode }) {
  const { user, isLoading, isError, retry } = useUser({ refetchOnMount: true });
  const [path, navigate] = useLocation();
  const detour = detourFor(path, useSearch(), user);
  const wait = detour?.after;
  const to = detour?.to;

  useEffect(() => {
    if (wait === undefined || !to) return undefined;
    toast({ title: 'Already Subscribed', description: 'Taking you to your chats.' });
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
      title="STOLAS cannot be reached"
      description="Check your connection, then try again. Nothing that you sent is lost."
      onRetry={onRetry}
    />
  </main>
);
