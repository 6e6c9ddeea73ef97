import { type KeyboardEvent, type RefObject, useLayoutEffect } from 'react';

/** Longer texts are higher than any box, and slow to measure. */
const LONG_TEXT = 10_000;

/** Makes a text box as high as its text, up to `maxHeight` in px. */
export function useGrowing(
  box: RefObject<HTMLTextAreaElement | null>,
  { text, maxHeight }: { text: string; maxHeight: number },
): void {
  useLayoutEffect(() => {
    if (box.current) grow(box.current, { text, maxHeight });
  }, [box, text, maxHeight]);
}

function grow(
  box: HTMLTextAreaElement,
  { text, maxHeight }: { text: string; maxHeight: number },
): void {
  const isFull = text.length >= LONG_TEXT;
  box.style.height = isFull ? `${maxHeight}px` : 'auto';
  if (text !== '' && !isFull) box.style.height = `${Math.min(box.scrollHeight, maxHeight)}px`;
}

/** The direction that `dir="auto"` finds: that of the first letter. */
export const isRightToLeft = (text: string): boolean =>
  /^\P{L}*[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u.test(
    text,
  );

/** The `dir` of a text box. Browsers take `auto` per line, which makes every key slow in a long text. */
export function directionOf(text: string): 'auto' | 'ltr' | 'rtl' {
  if (text.length < LONG_TEXT) return 'auto';
  return isRightToLeft(text) ? 'rtl' : 'ltr';
}

/** On a touch keyboard Enter makes a new line: it has no Shift+Enter. */
export const isTouch = (): boolean => window.matchMedia('(pointer: coarse)').matches;

/**
 * Whether a key sends: Enter does, Shift+Enter does not, neither does the Enter that ends a composition, nor any on touch.
 */
export const isSendKey = (event: KeyboardEvent): boolean =>
  event.key === 'Enter' && !event.shiftKey && !isComposing(event) && !isTouch();

/** Whether a key belongs to a composition, as of Japanese, and the Enter that ends one. */
export const isComposing = (event: KeyboardEvent): boolean =>
  // 229: Safari ends the composition before it reports the Enter.
  event.nativeEvent.isComposing || event.keyCode === 229;

/**
 * Moves the focus to the composer when the control that had it is removed; not on touch, where it opens the keyboard.
 */
export function focusComposer(): void {
  if (!window.matchMedia('(pointer: fine)').matches) return;
  document.querySelector<HTMLTextAreaElement>('textarea[data-composer]')?.focus();
}
