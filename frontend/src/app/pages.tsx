import type { ComponentType } from 'react';
import { lazyPart } from '../ui/lazy-part.tsx';
import { FullScreenSpinner } from '../ui/spinner.tsx';

const pageOf = <Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  fallback = <FullScreenSpinner />,
) => lazyPart(load, { fallback, missing: 'page' });

/** The page beside the sidebar is empty while its code loads. */
const EMPTY_PAGE = <main aria-busy="true" className="min-w-0 flex-1" />;

const loadChat = () => import('../features/chat/index.ts');

export const ChatScreen = pageOf(async () => (await loadChat()).ChatPage, EMPTY_PAGE);
export const Shell = pageOf(async () => {
  const chat = await loadChat();
  await chat.preloadScreen();
  return chat.Shell;
});
export const LandingPage = pageOf(
  async () => (await import('../features/landing/landing-page.tsx')).LandingPage,
);
export const LoginPage = pageOf(
  async () => (await import('../features/auth/login-page.tsx')).LoginPage,
);
export const SubscriptionPage = pageOf(
  async () => (await import('../features/billing/plans/subscription-page.tsx')).SubscriptionPage,
);
export const ResetPasswordPage = pageOf(
  async () => (await import('../features/auth/reset-password-page.tsx')).ResetPasswordPage,
);
export const VerifyEmailPage = pageOf(
  async () => (await import('../features/auth/verify-email-page.tsx')).VerifyEmailPage,
);
export const NotFoundPage = pageOf(async () => (await import('./not-found-page.tsx')).NotFoundPage);
export const SettingsPage = pageOf(
  async () => (await import('../features/settings/settings-page.tsx')).SettingsPage,
  EMPTY_PAGE,
);
export const FilesPage = pageOf(
  async () => (await import('../features/files/library/files-page.tsx')).FilesPage,
  EMPTY_PAGE,
);
export const MemoryPage = pageOf(
  async () => (await import('../features/memory/memory-page.tsx')).MemoryPage,
  EMPTY_PAGE,
);
export const PersonasPage = pageOf(
  async () => (await import('../features/personas/personas-page.tsx')).PersonasPage,
  EMPTY_PAGE,
);
export const WorkspacePage = pageOf(
  async () => (await import('../features/workspaces/workspace-page.tsx')).WorkspacePage,
  EMPTY_PAGE,
);
export const InvitationPage = pageOf(
  async () => (await import('../features/workspaces/invitation-page.tsx')).InvitationPage,
);
// Imported through the chat: otherwise the build would move what both need out of the chat's first load.
export const ArtifactTab = pageOf(async () => (await loadChat()).loadArtifactTab());
export const PrivacyPage = pageOf(
  async () => (await import('../features/privacy/privacy-page.tsx')).PrivacyPage,
);
export const ReceiptPage = pageOf(
  async () => (await import('../features/privacy/receipt-page.tsx')).ReceiptPage,
);
export const SharedPage = pageOf(
  async () => (await import('../features/shares/shared-page.tsx')).SharedPage,
);
export const FeaturesPage = pageOf(
  async () => (await import('../features/landing/features/features-page.tsx')).FeaturesPage,
);
export const TestScreen = pageOf(async () => (await import('./test-screen.tsx')).TestScreen);

/** Loads the code and lists that / most likely needs and opens the socket, while the current user is read from the server. */
export async function preloadHome({ signedIn }: { signedIn: boolean }): Promise<void> {
  if (!signedIn) return LandingPage.preload();
  const shell = Shell.preload();
  await ChatScreen.preload();
  (await loadChat()).connectEarly();
  await shell;
}
