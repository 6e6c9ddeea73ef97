/**
 * Moves the focus to the composer when the control that had it is removed; not on touch, where it opens the keyboard.
 */
export function focusComposer(): void {
  if (!window.matchMedia('(pointer: fine)').matches) return;
  document.querySelector<HTMLTextAreaElement>('textarea[data-composer]')?.focus();
}
