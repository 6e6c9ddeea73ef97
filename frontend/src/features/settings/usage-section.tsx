import { t } from '../../i18n/settings.ts';
import { StorageUse } from '../files/index.ts';
import { UsagePanel } from '../usage/index.ts';
import { Section } from './section.tsx';

export const UsageSection = () => (
  <Section title={t('usage')} description={t('usageNote')}>
    <UsagePanel />
    <section aria-label={t('storage')} className="mt-4 grid gap-3">
      <h3 className="text-sm font-medium">{t('storageOfFiles')}</h3>
      <StorageUse />
    </section>
  </Section>
);
