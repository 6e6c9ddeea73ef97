import { Readable } from 'node:stream';
import { type ExportEntry, jsonEntry } from '../../export-entry.ts';
import type { ChatFeature } from '../feature.ts';
import type { MessageRecord } from '../messages/index.ts';
import { fileNamesOf } from './export.ts';

/** What a user has in conversations besides their own: places in shared ones, ratings of replies, and messages in those of others. */
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
  yield {
    path: 'messages-elsewhere.json',
    open: async () => Readable.from(jsonList(authored.written(userId))),
  };
}

/** The messages one after the other: all of them may not fit into memory. */
async function* jsonList(messages: AsyncIterable<MessageRecord>): AsyncGenerator<string> {
  let separator = '[\n';
  for await (const message of messages) {
    yield separator + JSON.stringify(toWritten(message));
    separator = ',\n';
  }
  yield separator === ',\n' ? '\n]\n' : '[]\n';
}

function toWritten({ conversationId, createdAt, content, metadata }: MessageRecord) {
  const files = fileNamesOf(metadata);
  return { conversationId, createdAt, content, ...(files.length > 0 && { files }) };
}
