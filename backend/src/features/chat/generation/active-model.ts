import type { MessageModel } from '../messages/index.ts';

/** Finds those of the given replies that are queued or running. */
export const createActiveReplies =
  (model: MessageModel) =>
  async (replyIds: string[]): Promise<ReadonlySet<string>> => {
    const found = await model.find({ _id: { $in: replyIds }, active: true }, { _id: 1 }).lean();
    return new Set(found.map(({ _id }) => String(_id)));
  };
