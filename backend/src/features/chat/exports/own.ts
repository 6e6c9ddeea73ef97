import { Readable } from 'node:stream';
import type { ExportEntry } from '../../export-entry.ts';
import type { ChatFeature } from '../feature.ts';

/** What a user has in conversations besides their texts: places in shared ones, and ratings of replies, also in those of others. */
export async function* exportOwn(
  { views, authored }: Pick<ChatFeature, 'views' | 'authored'>,
  userId: string,
): AsyncGenerator<ExportEntry> {
  yield jsonEntry('views.json', async () =>
    (await views.allOf([userId])).map(({ userId: _own, ...view }) => view),
  );
  yield jsonEntry('feedback.json', async () =>
    (await authored.rated(userId)).map(({ id, conversationId, feedback }) => ({
      conversationId,
      replyId: id,
      ...feedback?.[userId],
    })),
  );
}

const jsonEntry = (path: string, read: () => Promise<object[]>): ExportEntry => ({
  path,
  open: async () => Readable.from([`${JSON.stringify(await read(), null, 2)}\n`]),
});
