import type { ComponentType } from 'react';
import { useEffect, useState } from 'react';
import { FullScreenSpinner } from '../ui/spinner.tsx';

/**
 * A page whose code is loaded when it is first shown; a preloaded one is there in the first render. Not React's `lazy`:
 * below a Suspense boundary that has shown its fallback, React holds content back for 300 ms.
 * @param load loads the page's code; a failure goes to the error boundary
 * @param fallback what is shown meanwhile
 */
function pageOf<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  fallback = <FullScreenSpinner />,
) {
  let loaded: ComponentType<Props> | undefined;
  const preload = async () => {
    loaded = await load();
  };
  function Page(props: Props) {
    const [Content, setContent] = useState(() => loaded);
    useEffect(() => {
      if (Content) return;
      preload().then(
        () => setContent(() => loaded),
        (error: unknown) =>
          setContent(() => {
            throw error;
          }),
      );
    }, [Content]);
    return Content ? <Content {...props} /> : fallback;
  }
  return Object.assign(Page, { preload });
}

/** Beside the sidebar the page is empty for the moment that its code takes. */
const EMPTY_PAGE = <main aria-busy="true" className="min-w-0 flex-1" />;

const loadChat = () => import('../features/chat/index.ts');

export const ChatScreen = pageOf(async () => (await loadChat()).ChatPage, EMPTY_PAGE);
export const Shell = pageOf(async () => (await loadChat()).Shell);
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
export const ArtifactTab = pageOf(
  async () => (await import('../features/chat/artifacts/artifact-tab.tsx')).ArtifactTab,
);
export const PrivacyPage = pageOf(
  async () => (await import('../features/privacy/privacy-page.tsx')).PrivacyPage,
);
export const ReceiptPage = pageOf(
  async () => (await import('../features/privacy/receipt-page.tsx')).ReceiptPage,
);
export const FeaturesPage = pageOf(
  async () => (await import('../features/landing/features/features-page.tsx')).FeaturesPage,
);
export const TestScreen = pageOf(async () => (await import('./test-screen.tsx')).TestScreen);

/** Loads the code that / most likely needs, and opens the socket, while the server is asked who is signed in. */
export async function preloadHome({ signedIn }: { signedIn: boolean }): Promise<void> {
  if (!signedIn) return LandingPage.preload();
  await ChatScreen.preload();
  (await loadChat()).connectEarly();
}
