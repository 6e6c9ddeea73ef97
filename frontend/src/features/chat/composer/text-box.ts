import { type KeyboardEvent, type RefObject, useLayoutEffect } from 'react';

/** A text of this length is higher than any box, however wide: measuring it would only take time. */
const ALWAYS_FULL_LENGTH = 10_000;

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
  const isFull = text.length >= ALWAYS_FULL_LENGTH;
  box.style.height = isFull ? `${maxHeight}px` : 'auto';
  if (text !== '' && !isFull) box.style.height = `${Math.min(box.scrollHeight, maxHeight)}px`;
}

/** Whether a key sends: Enter does, Shift+Enter does not, and neither does the Enter that ends a composition. */
export function isSendKey(event: KeyboardEvent): boolean {
  // 229: Safari ends the composition before it reports the Enter.
  const isComposing = event.nativeEvent.isComposing || event.keyCode === 229;
  return event.key === 'Enter' && !event.shiftKey && !isComposing;
}
