import { t as common } from 'virtual:texts/app';
import { t } from 'virtual:texts/chat';
import { MAX_MESSAGE_LENGTH, type User } from '@stolas/backend/contract';
import type { ClipboardEvent } from 'react';
import { toast } from '../../../ui/toast-store.ts';
import { addFiles, removePastedText } from '../sending/attachments.ts';
import { readDraft, writeDraftText } from '../sending/drafts.ts';
import { keepPasteNotice, notePaste } from '../sending/pastes.ts';

/**
 * Attaches pasted files, and a pasted text that would make the message too long to send. Where the user may not attach files, it ignores
 * them and leaves the text to the box.
 */
export function usePaste(
  user: User,
  conversationId: string,
  { mayAttach }: { mayAttach: boolean },
) {
  return (event: ClipboardEvent<HTMLTextAreaElement>) => {
    const { clipboardData, currentTarget: box } = event;
    const files = [...clipboardData.files];
    // Office programs add a picture of the copied text to the clipboard.
    const hasText = clipboardData.types.includes('text/plain');
    if (files.length > 0 && !hasText) {
      event.preventDefault();
      if (mayAttach) void addFiles(user, conversationId, files);
      return;
    }
    const pasted = mayAttach ? tooLongPaste(box, clipboardData) : undefined;
    if (pasted === undefined) return notePaste(conversationId, clipboardData.getData('text/plain'));
    event.preventDefault();
    attachText(user, conversationId, { pasted, whole: withPaste(box, pasted) });
  };
}

function attachText(
  user: User,
  conversationId: string,
  { pasted, whole }: { pasted: string; whole: string },
): void {
  const file = pastedTextFile(pasted);
  const { text } = readDraft(user.id, conversationId);
  void addFiles(user, conversationId, [file], { isAnnounced: true });
  const notice = toast({
    title: t('pastedTitle'),
    description: t('pastedText', { name: file.name }),
    action: {
      label: common('undo'),
      onSelect: () => {
        void removePastedText(user, conversationId, file);
        // Text that was written since then is kept.
        if (readDraft(user.id, conversationId).text === text) {
          writeDraftText(user.id, conversationId, whole);
        }
      },
    },
  });
  keepPasteNotice(conversationId, notice);
}

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
