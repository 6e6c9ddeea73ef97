import { t as common } from 'virtual:texts/app';
import { t } from 'virtual:texts/shortcuts';
import { OpenDialog } from '../../ui/dialog.tsx';
import { Kbd } from '../../ui/kbd.tsx';
import { shortcutKeys } from './shortcut-keys.ts';
import { closeShortcutSheet } from './use-shortcuts.ts';

interface Shortcut {
  /** Alternatives; each is a set of keys pressed together. */
  keys: readonly (readonly string[])[];
  what: string;
}

interface Group {
  name: string;
  shortcuts: readonly Shortcut[];
}

const groups = (keys = shortcutKeys()): readonly Group[] => [
  {
    name: t('everywhere'),
    shortcuts: [
      { keys: [keys.newChat], what: t('newChat') },
      { keys: [keys.openCommandMenu], what: t('search') },
      { keys: [['/']], what: t('write') },
      { keys: [keys.toggleSidebar], what: t('toggleSidebar') },
      { keys: [keys.print], what: t('print') },
      { keys: [['Esc']], what: t('escape') },
      { keys: [['F8']], what: t('notification') },
      { keys: [keys.showSheet, ['?']], what: t('showList') },
    ],
  },
  {
    name: t('inList'),
    shortcuts: [
      { keys: [['↑'], ['↓']], what: t('previousOrNext') },
      { keys: [[t('homeKey')], [t('endKey')]], what: t('firstOrLast') },
      { keys: [['→']], what: t('rowActions') },
      { keys: [['F2']], what: t('rename') },
      { keys: [[t('deleteKey')]], what: common('delete') },
    ],
  },
  {
    name: t('inBox'),
    shortcuts: [
      { keys: [['Enter']], what: t('send') },
      { keys: [[t('shiftKey'), 'Enter']], what: t('newLine') },
    ],
  },
];

export function ShortcutSheet() {
  return (
    <OpenDialog title={t('title')} onClose={closeShortcutSheet}>
      {groups().map(({ name, shortcuts }) => (
        <section key={name} className="mt-5">
          <h3 className="text-xs font-medium text-muted">{name}</h3>
          <dl className="mt-2 grid gap-2.5 text-sm">
            {shortcuts.map(({ keys, what }) => (
              <div key={what} className="flex items-center justify-between gap-4">
                <dt>{what}</dt>
                <dd className="flex shrink-0 gap-2.5">
                  {keys.map((together) => (
                    <span key={together.join(' ')} className="flex gap-1">
                      {together.map((key) => (
                        <Kbd key={key}>{key}</Kbd>
                      ))}
                    </span>
                  ))}
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </OpenDialog>
  );
}
