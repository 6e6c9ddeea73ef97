import { Dialog, DialogContent } from '../../ui/dialog.tsx';
import { Kbd } from '../../ui/kbd.tsx';
import { closeShortcutSheet } from './use-shortcuts.ts';

const COMMAND = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl';

interface Shortcut {
  /** Ways to do it; each is keys that are pressed together. */
  keys: readonly (readonly string[])[];
  what: string;
}

const GROUPS: readonly { name: string; shortcuts: readonly Shortcut[] }[] = [
  {
    name: 'Everywhere',
    shortcuts: [
      { keys: [[COMMAND, 'Shift', 'O']], what: 'New chat' },
      { keys: [[COMMAND, 'K']], what: 'Search and commands' },
      { keys: [['/']], what: 'Write a message' },
      { keys: [[COMMAND, 'B']], what: 'Show or hide the sidebar' },
      { keys: [['Esc']], what: 'Close what is open, else stop the reply' },
      { keys: [['F8']], what: 'Go to the notification' },
      { keys: [[COMMAND, '/'], ['?']], what: 'Show this list' },
    ],
  },
  {
    name: 'In the list of conversations',
    shortcuts: [
      { keys: [['↑'], ['↓']], what: 'Previous or next conversation' },
      { keys: [['Home'], ['End']], what: 'First or last conversation' },
      { keys: [['→']], what: 'Star and other actions' },
      { keys: [['F2']], what: 'Rename' },
      { keys: [['Del']], what: 'Delete' },
    ],
  },
  {
    name: 'In the message box',
    shortcuts: [
      { keys: [['Enter']], what: 'Send' },
      { keys: [['Shift', 'Enter']], what: 'New line' },
    ],
  },
];

export function ShortcutSheet() {
  return (
    <Dialog open onOpenChange={closeShortcutSheet}>
      <DialogContent title="Keyboard shortcuts">
        {GROUPS.map(({ name, shortcuts }) => (
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
      </DialogContent>
    </Dialog>
  );
}
