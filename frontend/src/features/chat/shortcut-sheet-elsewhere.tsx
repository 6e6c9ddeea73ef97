import { ShortcutSheet } from './shortcut-sheet.tsx';
import { openShortcutSheet, useShortcutSheet } from './use-shortcuts.ts';

export { openShortcutSheet };

/** The list of shortcuts on pages other than the chat. */
export function ShortcutSheetElsewhere() {
  const { isOpen } = useShortcutSheet();
  return isOpen && <ShortcutSheet />;
}
