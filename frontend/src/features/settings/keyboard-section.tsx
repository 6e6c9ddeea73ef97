import { t } from 'virtual:texts/settings';
import { Button } from '../../ui/button.tsx';
import { useAction } from '../auth/index.ts';
import { Section } from './section.tsx';

export function KeyboardSection() {
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
