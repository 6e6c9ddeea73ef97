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
import { ImportSection } from './import-section.tsx';
import { PasswordSection } from './password-section.tsx';
import { ProfileSection } from './profile-section.tsx';
import { type SectionEntry, Sections } from './sections.tsx';
import { SessionsSection } from './sessions-section.tsx';
import { UsageSection } from './usage-section.tsx';

/** /settings (docs/product.md, 'Settings'). `#<id>` opens it at a section. */
export function SettingsPage() {
  const { user } = useUser();
  useLive();
  return (
    user && (
      <div className="min-h-dvh">
        <PageHeader mayChat={mayChat(user)} />
        <main className="mx-auto max-w-4xl px-5 pb-16">
          <h1 className="mb-6 text-xl font-semibold">Settings</h1>
          <Sections entries={entriesFor(user)} />
        </main>
      </div>
    )
  );
}

/** The sections in their order. A section's id is its address in the page. */
function entriesFor(user: User): SectionEntry[] {
  const account: SectionEntry[] =
    user.subscriptionStatus === 'guest'
      ? [{ id: 'account', label: 'Account', content: <GuestSection /> }]
      : [
          { id: 'profile', label: 'Profile', content: <ProfileSection user={user} /> },
          { id: 'email', label: 'Email', content: <EmailSection user={user} /> },
          { id: 'password', label: 'Password', content: <PasswordSection user={user} /> },
        ];
  return [
    ...account,
    { id: 'billing', label: 'Billing', content: <BillingSection user={user} /> },
    { id: 'usage', label: 'Usage', content: <UsageSection /> },
    { id: 'appearance', label: 'Appearance', content: <AppearanceSection /> },
    // A guest's data is deleted with the demo.
    ...(user.subscriptionStatus === 'guest'
      ? []
      : [{ id: 'import', label: 'Import', content: <ImportSection /> }]),
    { id: 'sessions', label: 'Sessions', content: <SessionsSection /> },
    { id: 'delete', label: 'Delete account', content: <DeleteSection user={user} /> },
  ];
}

/** Shows changes of the account that were made elsewhere at once. */
function useLive(): void {
  useEffect(() => followAccount(() => void endSession()), []);
}
