import type { ChatFeature } from '../feature.ts';
import type { UnindexedMessage } from './unindexed-model.ts';

/** The delay after which a new message or an ended reply can be found. */
export const INDEX_EVERY_MS = 1_000;
/** Small, because messages may be long: the database serves other requests between two reads. */
const BATCH = 10;
/** A failed message is left out for this long, so that messages that always fail do not fill each batch. */
const PUT_OFF_MS = 60_000;

/**
 * Adds to the search what it lacks: new user messages and ended replies. The write that stores a text also marks it, so a crash leaves none
 * out. One worker does it for all; two at once do no harm.
 */
export function createIndexer(
  { unindexed, search, now, log }: Pick<ChatFeature, 'unindexed' | 'search' | 'now' | 'log'>,
  /** Whether this worker is the one that indexes now. */
  isLeader: () => Promise<boolean>,
) {
  /** The retry times of failed messages, by id. */
  const putOff = new Map<string, number>();

  const index = async (message: UnindexedMessage): Promise<void> => {
    await search.put(message);
    if (await unindexed.markIndexed(message)) return;
    const { id, ownerId } = message;
    // Erased meanwhile: the entry may have been added after those of the conversation were removed.
    if (!(await unindexed.exists(message))) await search.remove({ ownerId, messageId: id });
  };

  return async (): Promise<void> => {
    while (await isLeader()) {
      const at = now().getTime();
      for (const [id, until] of putOff) if (until <= at) putOff.delete(id);
      const messages = await unindexed.find({ except: [...putOff.keys()], limit: BATCH });
      let failed = 0;
      for (const message of messages)
        await index(message).catch((error: unknown) => {
          failed += 1;
          putOff.set(message.id, at + PUT_OFF_MS);
          log.warn({ err: error, messageId: message.id }, 'message will be indexed later');
        });
      if (messages.length < BATCH || failed > 0) return;
    }
  };
}
