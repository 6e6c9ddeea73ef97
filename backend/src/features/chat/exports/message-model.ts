import { Types } from 'mongoose';
import type { MessageFile } from '../../../contract/messages.ts';
import type { MessageDocument, MessageModel } from '../messages/model.ts';
import type { ImportedMessage } from './imported-tree.ts';

interface Scope {
  conversationId: string;
  ownerId: string;
}

/** A message with files that stand in place of its first named ones. */
type WithFiles = ImportedMessage & { attached?: readonly (MessageFile | undefined)[] | undefined };

/** Stores the messages of an import. */
export const createImportedMessageStore = (model: MessageModel) => ({
  insert: async (messages: readonly WithFiles[], scope: Scope): Promise<void> => {
    const documents = messages.map((message) => toDocument(message, scope));
    await model.collection.insertMany(documents, { ordered: true });
  },

  /** Removes the given messages, as far as they are stored. */
  remove: async (ids: readonly string[], { conversationId, ownerId }: Scope): Promise<void> => {
    await model.deleteMany({ _id: { $in: ids }, conversationId, ownerId });
  },
});

const toId = (id: string) => Types.ObjectId.createFromHexString(id);

function toDocument(
  { id, parentId, files, attached = [], status, ...message }: WithFiles,
  { conversationId, ownerId }: Scope,
): MessageDocument {
  return {
    ...message,
    _id: toId(id),
    conversationId: toId(conversationId),
    ownerId: toId(ownerId),
    // The indexer adds it to the search; the number is the attempt that wrote the text.
    unindexed: status ? 1 : 0,
    ...(parentId && { parentId: toId(parentId) }),
    ...(files && { metadata: { files: files.map((name, at) => attached[at] ?? { name }) } }),
    // No link in its text is a citation, because the text is not ours.
    ...(status && { status, attempt: 1, metadata: { citations: [] } }),
  };
}
