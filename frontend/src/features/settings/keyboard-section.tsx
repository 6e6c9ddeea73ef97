import { t } from 'virtual:texts/settings';
import { type ComponentType, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { useAction } from '../auth/index.ts';
import { Section } from './section.tsx';

export function KeyboardSection() {
  const [Sheet, setSheet] = useState<ComponentType>();
  const { run, isPending } = useAction({
    run: async () => (await import('../chat/index.ts')).openShortcutList(),
    onDone: (loaded) => setSheet(() => loaded),
    failed: t('shortcutsNotShown'),
  });
  return (
    <Section title={t('keyboard')} description={t('shortcutsNote')}>
      <Button aria-haspopup="dialog" className="justify-self-start" onClick={run} busy={isPending}>
        {t('showShortcuts')}
      </Button>
      {Sheet && <Sheet />}
    </Section>
  );
}
