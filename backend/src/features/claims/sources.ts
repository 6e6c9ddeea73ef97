import { setImmediate } from 'node:timers/promises';
import type { EvidenceText, FilesService } from '../files/index.ts';
import { materialOf } from './material.ts';

/** A message on the way to a reply. */
interface PathMessage {
  id: string;
  role: 'user' | 'assistant';
  content: string;
  metadata?: { files?: { id?: string }[]; pastes?: { start: number; end: number }[] };
}

export interface SourcesDeps {
  files: Pick<FilesService, 'evidenceFor' | 'findMany'>;
  messages: {
    path: (end: {
      conversationId: string;
      leafId: string;
      limit: number;
    }) => Promise<PathMessage[]>;
  };
}

/** Messages above a reply that are read, at most. */
const LONGEST_PATH = 200;
/** Passages for each claim. */
const COUNT = { files: 4, notes: 2 };

/** What a reply may be compared with. */
export interface Sources {
  /** Neither files with text nor texts that the user pasted or quoted: nothing to compare with. */
  isEmpty: boolean;
  evidenceFor: (statements: string[]) => Promise<EvidenceText[][]>;
}

/**
 * The sources of a reply: the files that the messages above it name, and what the user pasted or quoted in them. Earlier replies are
 * never among them, nor requests of the user.
 */
export function createSources({ files, messages }: SourcesDeps) {
  return async (reply: {
    ownerId: string;
    conversationId: string;
    /** The user message that it answers. */
    messageId: string;
    signal: AbortSignal;
  }): Promise<Sources> => {
    const { ownerId, conversationId, messageId: leafId, signal } = reply;
    const path = await messages.path({ conversationId, leafId, limit: LONGEST_PATH });
    const fileIds = [
      ...new Set(
        path.flatMap(({ metadata }) => metadata?.files ?? []).flatMap(({ id }) => id ?? []),
      ),
    ];
    const found = fileIds.length > 0 ? await files.findMany(ownerId, fileIds) : [];
    const readable = found.filter(({ state }) => state === 'ready').map(({ id }) => id);
    const notes: { id: string; text: string }[] = [];
    for (const { id, role, content, metadata } of path) {
      if (role !== 'user' || content.startsWith('/')) continue;
      const text = materialOf(content, metadata?.pastes);
      if (text !== null) notes.push({ id, text });
      // Other replies go on between two messages.
      await setImmediate();
    }
    return {
      isEmpty: readable.length === 0 && notes.length === 0,
      evidenceFor: (statements) =>
        files.evidenceFor({ ownerId, fileIds: readable, notes, statements, count: COUNT, signal }),
    };
  };
}
