import { t } from 'virtual:texts/chat';
import { MAX_MESSAGE_LENGTH } from '@stolas/backend/contract';

/** The text of a paste that would make the message too long to send; undefined for any other paste. */
export function tooLongPaste(
  box: HTMLTextAreaElement,
  clipboard: DataTransfer,
): string | undefined {
  const pasted = clipboard.getData('text/plain');
  const { value, selectionStart, selectionEnd } = box;
  const length = value.length - (selectionEnd - selectionStart) + pasted.length;
  return length > MAX_MESSAGE_LENGTH && pasted.trim() !== '' ? pasted : undefined;
}

/** The text of a box with `pasted` in place of its selection. */
export const withPaste = (box: HTMLTextAreaElement, pasted: string): string =>
  box.value.slice(0, box.selectionStart) + pasted + box.value.slice(box.selectionEnd);

export const pastedTextFile = (text: string): File =>
  new File([text], t('pastedTextName'), { type: 'text/plain' });
