import { t as chat } from 'virtual:texts/chat';
import { t } from 'virtual:texts/conversationActions';
import type { Conversation, ExportQuery } from '@stolas/backend/contract';
import { apiGetText, userMessageOf } from '../../../lib/api.ts';
import { saveFile } from '../../../lib/save-file.ts';
import { toastError } from '../../../ui/toast-store.ts';

const TYPES = { md: 'text/markdown', json: 'application/json' };

/** Saves a conversation as a file: the branch that is shown as Markdown, or all branches as JSON. */
export async function exportConversation(
  { id, title }: Pick<Conversation, 'id' | 'title'>,
  format: ExportQuery['format'],
): Promise<void> {
  try {
    const text = await apiGetText(`/api/conversations/${id}/export?format=${format}`);
    // The browser replaces characters that a file name must not contain.
    saveFile(text, { name: `${title}.${format}`, type: TYPES[format] });
  } catch (error) {
    toastError(t('exportFailed'), userMessageOf(error, chat('checkConnection')));
  }
}
