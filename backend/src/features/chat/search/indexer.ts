import type { OnPartition } from '../../../jobs/partitions.ts';
import type { ChatFeature } from '../feature.ts';
import type { UnindexedMessage } from './unindexed-model.ts';

/** The delay after which a new message or an ended reply can be found. */
export const INDEX_EVERY_MS = 1_000;
/** Small, because messages may be long: the database serves other requests between two reads. */
const BATCH = 20;
/** A failed message is left out for this long, so that messages that always fail do not fill each batch. */
const PUT_OFF_MS = 60_000;

/**
 * Adds to the search what it lacks: new user messages and ended replies. The write that stores a text also marks it, so a crash leaves none
 * out. All workers share the work, each with a batch of another partition at a time; two with the same one do no harm.
 */
export function createIndexer({
  unindexed,
  search,
  now,
  log,
}: Pick<ChatFeature, 'unindexed' | 'search' | 'now' | 'log'>) {
  /** The retry times of failed messages, by id. */
  const putOff = new Map<string, number>();

  const index = async (messages: readonly UnindexedMessage[]): Promise<void> => {
    await search.put(messages);
    if (await unindexed.markIndexed(messages)) return;
    // Another worker may have indexed a later text before this put has replaced it: after a process was frozen.
    await unindexed.markAgain(messages);
    const existing = await unindexed.existing(messages);
    // Erased meanwhile: the entry may have been added after those of the conversation were removed.
    for (const { id, ownerId } of messages)
      if (!existing.has(id)) await search.remove({ ownerId, messageId: id });
  };

  /** Of a batch that failed: one message may be the reason. @returns how many were indexed */
  const indexEach = async (messages: readonly UnindexedMessage[]): Promise<number> => {
    let indexed = 0;
    for (const message of messages)
      try {
        await index([message]);
        indexed += 1;
      } catch (error) {
        putOff.set(message.id, now().getTime() + PUT_OFF_MS);
        log.warn({ err: error, messageId: message.id }, 'message will be indexed later');
      }
    return indexed;
  };

  const indexBatch = async (partition: string): Promise<number> => {
    const messages = await unindexed.find({ partition, except: [...putOff.keys()], limit: BATCH });
    if (messages.length === 0) return 0;
    try {
      await index(messages);
      return messages.length;
    } catch {
      return indexEach(messages);
    }
  };

  return async (onPartition: OnPartition): Promise<void> => {
    for (let indexed = 1; indexed > 0; ) {
      const at = now().getTime();
      for (const [id, until] of putOff) if (until <= at) putOff.delete(id);
      indexed = 0;
      for (const partition of await unindexed.partitions({ except: [...putOff.keys()] }))
        indexed += (await onPartition(partition, () => indexBatch(partition))) ?? 0;
    }
  };
}
