import { useEffect } from 'react';
import { create } from 'zustand';

/** The actions of the shortcuts; `shortcut-sheet.tsx` lists the keys. Shell and chat have different actions. */
export interface ShortcutActions {
  newChat?: () => void;
  openCommandMenu?: () => void;
  focusComposer?: () => void;
  toggleSidebar?: () => void;
  stop?: () => void;
  /** Absent without a conversation to print: then the browser prints the page. */
  print?: (() => void) | undefined;
  showSheet?: () => void;
}

export const useShortcutSheet = create<{ isOpen: boolean }>(() => ({ isOpen: false }));

export const openShortcutSheet = (): void => useShortcutSheet.setState({ isOpen: true });
export const closeShortcutSheet = (): void => useShortcutSheet.setState({ isOpen: false });

function actionFor(event: KeyboardEvent): keyof ShortcutActions | undefined {
  const command = event.ctrlKey || event.metaKey;
  const key = event.key.toLowerCase();
  if (command && event.shiftKey && key === 'o') return 'newChat';
  if (command && !event.shiftKey && key === 'k') return 'openCommandMenu';
  if (command && !event.shiftKey && key === 'b') return 'toggleSidebar';
  if (command && !event.shiftKey && key === 'p') return 'print';
  if (command && key === '/') return 'showSheet';
  // In another field than the composer, Escape ends the editing.
  if (key === 'escape')
    return isWriting(event.target) && !isComposer(event.target) ? undefined : 'stop';
  if (command || event.altKey || isWriting(event.target)) return undefined;
  if (key === '/') return 'focusComposer';
  return key === '?' ? 'showSheet' : undefined;
}

const isWriting = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName));

const isComposer = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.dataset.composer !== undefined;

export function useShortcuts(actions: ShortcutActions): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      // Not while a dialog or a menu is open, nor while an input method composes text.
      const isTaken = document.querySelector('[role=dialog], [role=menu]') !== null;
      if (event.defaultPrevented || event.isComposing || isTaken) return;
      const action = actionFor(event);
      const act = action && actions[action];
      if (!act) return;
      if (action !== 'stop') event.preventDefault();
      act();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [actions]);
}
