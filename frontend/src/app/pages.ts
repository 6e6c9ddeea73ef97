import { lazy } from 'react';

const loadChat = () => import('./chat-screen.tsx');
const loadLanding = () => import('../features/landing/landing-page.tsx');

export const ChatScreen = lazy(async () => ({ default: (await loadChat()).ChatScreen }));
export const LandingPage = lazy(async () => ({ default: (await loadLanding()).LandingPage }));
export const LoginPage = lazy(async () => ({
  default: (await import('../features/auth/login-page.tsx')).LoginPage,
}));
export const SubscriptionPage = lazy(async () => ({
  default: (await import('../features/billing/subscription-page.tsx')).SubscriptionPage,
}));
export const ResetPasswordPage = lazy(async () => ({
  default: (await import('../features/auth/reset-password-page.tsx')).ResetPasswordPage,
}));
export const VerifyEmailPage = lazy(async () => ({
  default: (await import('../features/auth/verify-email-page.tsx')).VerifyEmailPage,
}));
export const SettingsPage = lazy(async () => ({
  default: (await import('../features/settings/settings-page.tsx')).SettingsPage,
}));
export const TestScreen = lazy(async () => ({
  default: (await import('./test-screen.tsx')).TestScreen,
}));

/** Loads the code that / most likely needs, and opens the socket, while the signed-in user is requested. */
export async function preloadHome({ signedIn }: { signedIn: boolean }): Promise<void> {
  if (signedIn) (await loadChat()).connectEarly();
  else await loadLanding();
}
