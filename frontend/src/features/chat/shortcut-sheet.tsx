import { Dialog, DialogContent } from '../../ui/dialog.tsx';
import { Kbd } from '../../ui/kbd.tsx';

const COMMAND = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl';

const SHORTCUTS: readonly { keys: readonly string[]; what: string }[] = [
  { keys: [COMMAND, 'Shift', 'O'], what: 'New chat' },
  { keys: ['/'], what: 'Write a message' },
  { keys: [COMMAND, 'B'], what: 'Show or hide the sidebar' },
  { keys: ['Esc'], what: 'Stop the reply' },
  { keys: ['?'], what: 'Show this list' },
];

export function ShortcutSheet({ onClose }: { onClose: () => void }) {
  return (
    <Dialog open onOpenChange={onClose}>
      <DialogContent title="Keyboard shortcuts">
        <dl className="mt-5 grid gap-3 text-sm">
          {SHORTCUTS.map(({ keys, what }) => (
            <div key={what} className="flex items-center justify-between gap-4">
              <dt>{what}</dt>
              <dd className="flex gap-1">
                {keys.map((key) => (
                  <Kbd key={key}>{key}</Kbd>
                ))}
              </dd>
            </div>
          ))}
        </dl>
      </DialogContent>
    </Dialog>
  );
}
