import { mayChat, type User } from '@stolas/backend/contract';
import { useEffect } from 'react';
import { t as common } from '../../i18n/app.ts';
import { t as dataExport } from '../../i18n/data-export.ts';
import { t } from '../../i18n/settings.ts';
import { hasPlans } from '../../lib/page-settings.ts';
import { followAccount } from '../../realtime/index.ts';
import { PageHeader } from '../../ui/page-header.tsx';
import { endSession, useUser } from '../auth/index.ts';
import { AppearanceSection } from './appearance-section.tsx';
import { BillingSection } from './billing-section.tsx';
import { DataExportSection } from './data-export-section.tsx';
import { DeleteSection } from './delete-section.tsx';
import { EmailSection } from './email-section.tsx';
import { GuestSection } from './guest-section.tsx';
import { ImportSection } from './import-section.tsx';
import { KeyboardSection } from './keyboard-section.tsx';
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
          <h1 className="mb-6 text-xl font-semibold">{common('settings')}</h1>
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
      ? [{ id: 'account', label: t('account'), content: <GuestSection /> }]
      : [
          { id: 'profile', label: t('profile'), content: <ProfileSection user={user} /> },
          { id: 'email', label: t('email'), content: <EmailSection user={user} /> },
          { id: 'password', label: t('password'), content: <PasswordSection user={user} /> },
        ];
  return [
    ...account,
    ...(hasPlans()
      ? [{ id: 'billing', label: t('billing'), content: <BillingSection user={user} /> }]
      : []),
    { id: 'usage', label: t('usage'), content: <UsageSection /> },
    { id: 'appearance', label: t('appearance'), content: <AppearanceSection /> },
    { id: 'keyboard', label: t('keyboard'), content: <KeyboardSection /> },
    // A guest's data is deleted with the demo.
    ...(user.subscriptionStatus === 'guest'
      ? []
      : [{ id: 'import', label: t('import'), content: <ImportSection /> }]),
    { id: 'export', label: dataExport('nav'), content: <DataExportSection user={user} /> },
    { id: 'sessions', label: t('sessions'), content: <SessionsSection user={user} /> },
    { id: 'delete', label: t('delete'), content: <DeleteSection user={user} /> },
  ];
}

/** Shows changes of the account that were made elsewhere at once. */
function useLive(): void {
  useEffect(() => followAccount(() => void endSession()), []);
}
