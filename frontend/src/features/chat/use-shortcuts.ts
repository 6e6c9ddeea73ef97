import { useEffect } from 'react';

/** What each shortcut does; the keys are in `shortcut-sheet.tsx` too. */
export interface ShortcutActions {
  newChat: () => void;
  focusComposer: () => void;
  toggleSidebar: () => void;
  stop: () => void;
  showSheet: () => void;
}

function actionFor(event: KeyboardEvent): keyof ShortcutActions | undefined {
  const command = event.ctrlKey || event.metaKey;
  const key = event.key.toLowerCase();
  if (command && event.shiftKey && key === 'o') return 'newChat';
  if (command && !event.shiftKey && key === 'b') return 'toggleSidebar';
  if (key === 'escape') return 'stop';
  if (command || event.altKey || isWriting(event.target)) return undefined;
  if (key === '/') return 'focusComposer';
  return key === '?' ? 'showSheet' : undefined;
}

const isWriting = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName));

export function useShortcuts(actions: ShortcutActions): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      // Not while a dialog is open, nor while an input method composes text.
      if (event.defaultPrevented || event.isComposing || document.querySelector('[role=dialog]')) {
        return;
      }
      const action = actionFor(event);
      if (!action) return;
      if (action !== 'stop') event.preventDefault();
      actions[action]();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [actions]);
}
