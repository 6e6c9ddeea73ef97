import { Readable } from 'node:stream';
import { AppError } from '../../../errors.ts';
import type { ExportEntry } from '../../export-entry.ts';
import type { ConversationRecord, ConversationStore } from '../conversations/index.ts';
import type { ExportConversation } from './export.ts';

const PAGE = 100;

interface ChatExportDeps {
  conversations: Pick<ConversationStore, 'page'>;
  exportConversation: ExportConversation;
}

/** All conversations of a user: each as Markdown (the branch that is shown) and as JSON (all branches). */
export const createChatExport = ({ conversations, exportConversation }: ChatExportDeps) =>
  async function* entries(userId: string): AsyncGenerator<ExportEntry> {
    let before: ConversationRecord | undefined;
    for (;;) {
      const page = await conversations.page(userId, { before, limit: PAGE });
      for (const { id, title, createdAt } of page) {
        const name = `${createdAt.toISOString().slice(0, 10)} ${title.replaceAll('/', '_')}`;
        for (const format of ['md', 'json'] as const) {
          const open = async () => {
            const file = await exportConversation({ userId }, id, format).catch(nullIfGone);
            return file && Readable.from(file.text);
          };
          yield { path: `conversations/${name}.${format}`, open };
        }
      }
      before = page.at(-1);
      if (page.length < PAGE) return;
    }
  };

/** Deleted since it was listed. */
function nullIfGone(error: unknown): null {
  if (error instanceof AppError && error.code === 'not_found') return null;
  throw error;
}
