import type { ChatFeature } from '../feature.ts';
import type { UnindexedMessage } from './unindexed-model.ts';

/** A message is found this long after it was stored or, a reply, has ended. */
export const INDEX_EVERY_MS = 1_000;
/** Few, since each may be long: the database serves others between two reads. */
const BATCH = 10;
/** A message that failed is left out for this long: messages that can never be indexed must not fill each batch. */
const PUT_OFF_MS = 60_000;

/**
 * Puts into the search what it does not hold yet: new user messages and replies that have ended. The same write that
 * stores a text marks it, so no crash leaves one out. One worker does it for all; two at once do no harm.
 */
export function createIndexer(
  { unindexed, search, now, log }: Pick<ChatFeature, 'unindexed' | 'search' | 'now' | 'log'>,
  /** Whether this worker, of all, indexes now. */
  isLeader: () => Promise<boolean>,
) {
  /** When messages that failed are tried again, by their ids. */
  const putOff = new Map<string, number>();

  const index = async (message: UnindexedMessage): Promise<void> => {
    await search.put(message);
    if (await unindexed.markIndexed(message)) return;
    const { id, ownerId } = message;
    // Erased meanwhile: the entry may have been put after those of the conversation were removed.
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
          log.warn({ err: error, messageId: message.id }, 'a message is indexed later');
        });
      if (messages.length < BATCH || failed > 0) return;
    }
  };
}
