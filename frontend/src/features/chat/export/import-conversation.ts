import { t } from 'virtual:texts/importConversation';
import {
  type Conversation,
  type ImportConversationBody,
  MAX_IMPORT_BYTES,
} from '@stolas/backend/contract';
import { ApiError, apiPost, userMessageOf } from '../../../lib/api.ts';
import { formatNumber } from '../../../lib/number.ts';
import { queryClient } from '../../../lib/query-client.ts';
import { randomUuid } from '../../../lib/uuid.ts';
import { upsertConversation } from '../../../realtime/index.ts';

const MB = 1024 * 1024;

/**
 * Imports a conversation from a file that was exported, JSON or Markdown.
 * @throws Error whose message is a sentence for the user
 */
export async function importConversation(file: File): Promise<Conversation> {
  const format = formatOf(file.name);
  if (!format) throw new Error(t('wrongFormat'));
  if (file.size > MAX_IMPORT_BYTES)
    throw new Error(t('tooLarge', { megabytes: formatNumber(MAX_IMPORT_BYTES / MB) }));
  const text = await file.text().catch(() => {
    throw new Error(t('unreadable'));
  });
  const body: ImportConversationBody = { format, text, clientConversationId: randomUuid() };
  const conversation = await post(body).catch((error: unknown) => {
    throw new Error(userMessageOf(error, t('failed')));
  });
  upsertConversation(queryClient, conversation);
  return conversation;
}

/** Repeated once under the same id when no answer came: the first request may have arrived. */
async function post(body: ImportConversationBody): Promise<Conversation> {
  const send = () => apiPost<Conversation>('/api/conversations/import', body);
  return send().catch((error: unknown) => {
    if (error instanceof ApiError) throw error;
    return send();
  });
}

function formatOf(name: string): ImportConversationBody['format'] | undefined {
  if (/\.json$/i.test(name)) return 'json';
  return /\.(?:md|markdown|txt)$/i.test(name) ? 'md' : undefined;
}
