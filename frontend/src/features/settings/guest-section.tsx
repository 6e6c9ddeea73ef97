import { Link } from 'wouter';
import { t } from '../../i18n/settings.ts';
import { Button } from '../../ui/button.tsx';
import { Section } from './section.tsx';

/** Shown to guests in place of the profile. */
export const GuestSection = () => (
  <Section title={t('account')} description={t('guestNote')}>
    <p className="text-sm">{t('guestText')}</p>
    <Button asChild variant="primary" className="justify-self-start">
      <Link href="/login">{t('createAccount')}</Link>
    </Button>
  </Section>
);
