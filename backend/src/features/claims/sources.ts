import { setImmediate } from 'node:timers/promises';
import type { EvidenceText } from '../files/index.ts';
import type { ClaimsFeature } from './feature.ts';
import { materialOf } from './material.ts';

/** Messages above a reply that are read. */
const MAX_PATH = 200;
/** Passages for each claim. */
const COUNT = { files: 4, notes: 2 };

/** The sources of a reply. */
interface Sources {
  /** There are no files with text and no pasted or quoted texts. */
  isEmpty: boolean;
  evidenceFor: (statements: string[]) => Promise<EvidenceText[][]>;
}

interface CheckedReply {
  ownerId: string;
  conversationId: string;
  /** The user message that it answers. */
  messageId: string;
  signal: AbortSignal;
}

/**
 * The sources of a reply: the files that the messages above it name, and pasted or quoted text in these messages. Earlier replies and the
 * user's requests are never sources.
 */
export async function sourcesOf(
  { others: { files, chat } }: ClaimsFeature,
  { ownerId, conversationId, messageId: leafId, signal }: CheckedReply,
): Promise<Sources> {
  const path = await chat.messages.path({ conversationId, leafId, limit: MAX_PATH });
  const fileIds = [
    ...new Set(path.flatMap(({ metadata }) => metadata?.files ?? []).flatMap(({ id }) => id ?? [])),
  ];
  const found = fileIds.length > 0 ? await files.findMany(ownerId, fileIds, conversationId) : [];
  const readable = found.filter(({ state }) => state === 'ready').map(({ id }) => id);
  const notes: { id: string; text: string }[] = [];
  for (const { id, role, content, metadata } of path) {
    if (role !== 'user' || content.startsWith('/')) continue;
    const text = materialOf(content, metadata?.pastes);
    if (text !== null) notes.push({ id, text });
    // The process serves its other replies in between.
    await setImmediate();
  }
  return {
    isEmpty: readable.length === 0 && notes.length === 0,
    evidenceFor: (statements) =>
      files.evidenceFor({
        ownerId,
        conversationId,
        fileIds: readable,
        notes,
        statements,
        count: COUNT,
        signal,
      }),
  };
}
