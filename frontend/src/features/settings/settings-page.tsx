import { mayChat, type User } from '@stolas/backend/contract';
import { useEffect } from 'react';
import { followAccount } from '../../realtime/index.ts';
import { PageHeader } from '../../ui/page-header.tsx';
import { endSession, useUser } from '../auth/index.ts';
import { AppearanceSection } from './appearance-section.tsx';
import { BillingSection } from './billing-section.tsx';
import { DeleteSection } from './delete-section.tsx';
import { EmailSection } from './email-section.tsx';
import { GuestSection } from './guest-section.tsx';
import { PasswordSection } from './password-section.tsx';
import { ProfileSection } from './profile-section.tsx';
import { SessionsSection } from './sessions-section.tsx';
import { UsageSection } from './usage-section.tsx';

/** /settings (docs/product.md, 'Settings'). */
export function SettingsPage() {
  const { user } = useUser();
  useLive();
  return (
    user && (
      <div className="min-h-dvh">
        <PageHeader mayChat={mayChat(user)} />
        <main className="mx-auto max-w-4xl px-5 pb-16">
          <h1 className="text-xl font-semibold">Settings</h1>
          <Sections user={user} />
        </main>
      </div>
    )
  );
}

function Sections({ user }: { user: User }) {
  const isGuest = user.subscriptionStatus === 'guest';
  return (
    <>
      {isGuest ? (
        <GuestSection />
      ) : (
        <>
          <ProfileSection user={user} />
          <EmailSection user={user} />
          <PasswordSection user={user} />
        </>
      )}
      <BillingSection user={user} />
      <UsageSection />
      <AppearanceSection />
      <SessionsSection />
      <DeleteSection user={user} />
    </>
  );
}

/** Shows changes of the account that were made elsewhere at once. */
function useLive(): void {
  useEffect(() => followAccount(() => void endSession()), []);
}
