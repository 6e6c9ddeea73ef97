import type { FilesReceipt } from '../../../contract/messages.ts';
import type { PromptMessage } from '../../../llm/index.ts';
import type { ContextInput, FilesContext } from '../../context.ts';
import { createMarkerFilter, type MarkerFilter } from '../../files/index.ts';
import type { MessageRecord } from '../messages/index.ts';
import { storedText } from './parts.ts';
import { buildPrompt } from './prompt.ts';
import { type GeneratedReply, keptParts } from './reply-record.ts';

export interface PrepareDeps {
  files: {
    /** What the files of a path add to the prompt, once they are read. @throws the signal's reason */
    contextOf: (input: ContextInput) => Promise<FilesContext>;
  };
  /** Longest prompt, in tokens. */
  budgetTokens: number;
}

/** What an attempt sends, and what becomes of the text that comes back. */
export interface Prepared {
  messages: PromptMessage[];
  /** Resolves citations; absent when the conversation has no files. */
  filter?: MarkerFilter;
  /** What the reply was given of the files. */
  filesReceipt?: FilesReceipt[];
}

interface PrepareInput {
  reply: GeneratedReply;
  /** Down to the user message. */
  history: MessageRecord[];
  signal: AbortSignal;
}

const fileIdsOf = ({ metadata }: MessageRecord): string[] =>
  (metadata?.files ?? []).flatMap(({ id }) => id ?? []);

/** Builds the prompt of an attempt. A path without files costs no query. */
export function createPrepare({ files, budgetTokens }: PrepareDeps) {
  return async ({ reply, history, signal }: PrepareInput): Promise<Prepared> => {
    const path = history.map((message) => ({ ...message, fileIds: fileIdsOf(message) }));
    if (path.every(({ fileIds }) => fileIds.length === 0))
      return { messages: await buildPrompt(reply, { history, budgetTokens }) };
    const { id: replyId, ownerId, conversationId } = reply;
    const input = { ownerId, conversationId, replyId, path, budgetTokens, signal };
    const context = await files.contextOf(input);
    const { passages, receipt: filesReceipt } = context;
    const { content: kept } = storedText(keptParts(reply));
    return {
      messages: await buildPrompt(reply, { history, budgetTokens, context }),
      filter: createMarkerFilter({ passages, kept }),
      filesReceipt,
    };
  };
}
