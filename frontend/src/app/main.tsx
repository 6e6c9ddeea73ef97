import '../ui/theme.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { finishSignOut } from '../features/auth/index.ts';
import { loadLanguage } from '../i18n/language.ts';
import { clearSessionData, getAuthToken, subscribeAuth } from '../lib/auth-token.ts';
import { whenOutdated } from '../lib/build.ts';
import { goTo, isPlaceHeld, reloadPage } from '../lib/location.ts';
import { queryClient } from '../lib/query-client.ts';
import { followTheme } from '../lib/theme.ts';
import { ErrorBoundary } from '../ui/error-boundary.tsx';
import { offerReload } from '../ui/new-version.tsx';
import { BrokenScreen } from './broken-screen.tsx';
import { followConnection, followPatience } from './connection-notice.ts';
import { Notifications } from './notifications.tsx';
import { preloadHome } from './pages.tsx';
import { GuestQuestion, Routes } from './routes.tsx';

followTheme();
followConnection();
followPatience();
whenOutdated(offerReload);

// Another tab signed in or out: this one reloads as that user, or signed out.
subscribeAuth((event) => {
  if (isPlaceHeld()) return;
  clearSessionData();
  if (event === 'signed-in') reloadPage();
  else goTo('/login');
});

void finishSignOut();

// If a preload fails, the page itself reports the failure when it is needed.
if (location.pathname === '/') {
  preloadHome({ signedIn: getAuthToken() !== null }).catch(() => undefined);
}

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');

const page = (
  <StrictMode>
    <ErrorBoundary instead={<BrokenScreen />}>
      <QueryClientProvider client={queryClient}>
        <Routes />
        <GuestQuestion />
        <Notifications />
      </QueryClientProvider>
    </ErrorBoundary>
  </StrictMode>
);
// No top-level await: with one, the bundler splits the chat into twice as many files.
loadLanguage().then(() => createRoot(root).render(page), reportError);
