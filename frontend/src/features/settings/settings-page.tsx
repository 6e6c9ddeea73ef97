import { t as common } from 'virtual:texts/app';
import { t as dataExport } from 'virtual:texts/dataExport';
import { t } from 'virtual:texts/settings';
import { mayChat, type User } from '@stolas/backend/contract';
import { Suspense, useEffect } from 'react';
import { Link } from 'wouter';
import { followAccount } from '../../realtime/index.ts';
import { Button } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { endSession, useUser } from '../auth/index.ts';
import { BillingDetails } from '../billing/index.ts';
import { StorageUse } from '../files/index.ts';
import { UsagePanel } from '../usage/index.ts';
import { AppearanceSection } from './appearance-section.tsx';
import { DataExportSection } from './data-export-section.tsx';
import { DeleteSection } from './delete-section.tsx';
import { EmailSection } from './email-section.tsx';
import { ImportSection } from './import-section.tsx';
import { KeyboardSection } from './keyboard-section.tsx';
import { PasswordSection } from './password-section.tsx';
import { ProfileSection } from './profile-section.tsx';
import { Section } from './section.tsx';
import { type SectionEntry, Sections } from './sections.tsx';
import { SessionsSection } from './sessions-section.tsx';

/** /settings (docs/product.md, 'Settings'). `#<id>` opens it at a section. */
export function SettingsPage() {
  const { user } = useUser();
  useLive();
  return (
    user && (
      <Page>
        <h1 className="mb-6 text-xl font-semibold">{common('settings')}</h1>
        <Sections entries={entriesFor(user)} />
      </Page>
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
    { id: 'billing', label: t('billing'), content: <BillingSection user={user} /> },
    { id: 'usage', label: t('usage'), content: <UsageSection /> },
    { id: 'appearance', label: t('appearance'), content: <AppearanceSection /> },
    // They are keys of the chat.
    ...(mayChat(user)
      ? [{ id: 'keyboard', label: t('keyboard'), content: <KeyboardSection /> }]
      : []),
    // A guest's data is deleted with the demo.
    ...(user.subscriptionStatus === 'guest'
      ? []
      : [{ id: 'import', label: t('import'), content: <ImportSection /> }]),
    { id: 'export', label: dataExport('nav'), content: <DataExportSection user={user} /> },
    { id: 'sessions', label: t('sessions'), content: <SessionsSection user={user} /> },
    { id: 'delete', label: t('delete'), content: <DeleteSection user={user} /> },
  ];
}

/** Shown to guests in place of the profile. */
const GuestSection = () => (
  <Section title={t('account')} description={t('guestNote')}>
    <p className="text-sm">{t('guestText')}</p>
    <Button asChild variant="primary" className="justify-self-start">
      <Link href="/login">{t('createAccount')}</Link>
    </Button>
  </Section>
);

const BillingSection = ({ user }: { user: User }) => (
  <Section title={t('billing')}>
    <Suspense fallback={<Skeleton className="h-12" />}>
      <BillingDetails user={user} />
    </Suspense>
  </Section>
);

const UsageSection = () => (
  <Section title={t('usage')} description={t('usageNote')}>
    <UsagePanel />
    <section aria-label={t('storage')} className="mt-4 grid gap-3">
      <h3 className="text-sm font-medium">{t('storageOfFiles')}</h3>
      <StorageUse />
    </section>
  </Section>
);

/** Shows changes of the account that were made elsewhere at once. */
function useLive(): void {
  useEffect(() => followAccount(() => void endSession()), []);
}
