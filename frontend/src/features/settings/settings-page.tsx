import { t as common } from 'virtual:texts/app';
import { t } from 'virtual:texts/settings';
import type { User } from '@stolas/backend/contract';
import { type ReactNode } from 'react';
import { Link } from 'wouter';
import { Button } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useAction, useUser } from '../auth/index.ts';
import { BillingDetails } from '../billing/index.ts';
import { StorageUse } from '../files/index.ts';
import { LinksSection } from '../shares/index.ts';
import { UsagePanel } from '../usage/index.ts';
import { AppearanceSection } from './appearance-section.tsx';
import { DataExportSection } from './data-export-section.tsx';
import { DeleteSection } from './delete-section.tsx';
import { EmailSection } from './email-section.tsx';
import { ImportSection } from './import-section.tsx';
import { PasswordSection } from './password-section.tsx';
import { ProfileSection } from './profile-section.tsx';
import { Section } from './section.tsx';
import { type SectionId, sectionsFor } from './section-names.ts';
import { type SectionEntry, Sections } from './sections.tsx';
import { SessionsSection } from './sessions-section.tsx';

/** /settings (docs/product.md, 'Settings'). `#<id>` opens it at a section. */
export function SettingsPage() {
  const { user } = useUser();
  return (
    user && (
      <Page>
        <h1 className="mb-6 text-xl font-semibold">{common('settings')}</h1>
        <Sections entries={entriesFor(user)} />
      </Page>
    )
  );
}

const entriesFor = (user: User): SectionEntry[] =>
  sectionsFor(user).map(({ id, label }) => ({ id, label, content: contentOf(id, user) }));

function contentOf(id: SectionId, user: User): ReactNode {
  const contents: Record<SectionId, ReactNode> = {
    account: <GuestSection />,
    profile: <ProfileSection user={user} />,
    email: <EmailSection user={user} />,
    password: <PasswordSection user={user} />,
    billing: <BillingSection user={user} />,
    usage: <UsageSection />,
    appearance: <AppearanceSection />,
    keyboard: <KeyboardSection />,
    links: (
      <Section title={t('links')} description={t('linksNote')}>
        <LinksSection fallback={<Skeleton className="h-12" />} />
      </Section>
    ),
    import: <ImportSection />,
    export: <DataExportSection user={user} />,
    sessions: <SessionsSection user={user} />,
    delete: <DeleteSection user={user} />,
  };
  return contents[id];
}

/** Shown to guests in place of the profile. */
const GuestSection = () => (
  <Section title={t('account')} description={t('guestNote')}>
    <p className="text-sm">{t('guestText')}</p>
    <Button asChild variant="primary" className="justify-self-start">
      <Link href="/login">{common('createAccount')}</Link>
    </Button>
  </Section>
);

const BillingSection = ({ user }: { user: User }) => (
  <Section title={t('billing')}>
    <BillingDetails fallback={<Skeleton className="h-12" />} user={user} />
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

function KeyboardSection() {
  const { run, isPending } = useAction({
    run: async () => (await import('../chat/index.ts')).openShortcutSheet(),
    failed: t('shortcutsNotShown'),
  });
  return (
    <Section title={t('keyboard')} description={t('shortcutsNote')}>
      <Button aria-haspopup="dialog" className="justify-self-start" onClick={run} busy={isPending}>
        {t('showShortcuts')}
      </Button>
    </Section>
  );
}
