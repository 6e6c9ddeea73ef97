import type { FileDocument, FileModel } from './file-model.ts';
import type { FileKey } from './records-model.ts';

interface Use {
  ownerId: string;
  conversationId: string;
}

/** Records of conversations that use a file. */
export function createUseStore(model: FileModel) {
  return {
    /** @returns the number of existing files */
    add: async ({
      ownerId,
      conversationId,
      fileIds,
    }: Use & { fileIds: readonly string[] }): Promise<number> => {
      const { matchedCount } = await model.updateMany(
        { _id: { $in: fileIds }, ownerId },
        { $addToSet: { conversationIds: conversationId }, $unset: { unusedSince: 1 } },
      );
      return matchedCount;
    },

    /** The files that a conversation uses. */
    of: async ({ ownerId, conversationId }: Use): Promise<string[]> => {
      const docs = await model
        .find({ ownerId, conversationIds: conversationId }, { _id: 1 })
        .lean<FileDocument[]>();
      return docs.map(({ _id }) => String(_id));
    },

    /** The conversation no longer uses the file; the time without use begins. */
    release: async (
      { id, ownerId }: FileKey,
      { conversationId, now }: { conversationId: string; now: Date },
    ): Promise<void> => {
      await model.updateOne(
        { _id: id, ownerId, conversationIds: conversationId },
        { $pull: { conversationIds: conversationId }, $set: { unusedSince: now } },
      );
    },
  };
}
