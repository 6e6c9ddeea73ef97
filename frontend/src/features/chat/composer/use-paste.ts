import { t } from 'virtual:texts/chat';
import type { User } from '@stolas/backend/contract';
import type { ClipboardEvent } from 'react';
import { toast } from '../../../ui/toast-store.ts';
import { addFiles, removePastedText } from './attachments.ts';
import { readDraft, writeDraftText } from './drafts.ts';
import { pastedTextFile, tooLongPaste, withPaste } from './pasted-text.ts';
import { notePaste } from './pastes.ts';

/** Pasted files are attached, and so is a text that would make the message too long to send. */
export function usePaste(user: User, conversationId: string) {
  return (event: ClipboardEvent<HTMLTextAreaElement>) => {
    const { clipboardData, currentTarget: box } = event;
    const files = [...clipboardData.files];
    // Office programs put a picture of a copied text beside it.
    const hasText = clipboardData.types.includes('text/plain');
    if (files.length > 0 && !hasText) {
      event.preventDefault();
      void addFiles(user, conversationId, files);
      return;
    }
    const pasted = tooLongPaste(box, clipboardData);
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
  void addFiles(user, conversationId, [file]);
  toast({
    title: t('pastedTitle'),
    description: t('pastedText', { name: file.name }),
    duration: 10_000,
    action: {
      label: t('undo'),
      onSelect: () => {
        void removePastedText(user, conversationId, file);
        // What was written since then is not overwritten.
        if (readDraft(user.id, conversationId).text === text) {
          writeDraftText(user.id, conversationId, whole);
        }
      },
    },
  });
}
