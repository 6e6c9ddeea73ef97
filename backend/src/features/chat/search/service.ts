import { setImmediate } from 'node:timers/promises';
import type { Actor } from '../../../access/index.ts';
import { SEARCH_PAGE_SIZE } from '../../../contract/limits.ts';
import type { SearchPage, SearchResult } from '../../../contract/search.ts';
import type { MessageMatch, MessageSearch } from '../../../search/index.ts';
import type { ConversationStore } from '../conversations/index.ts';
import { cursorOf, placeOf, presentResult } from './present.ts';
import type { UnindexedStore } from './unindexed-model.ts';

/** How often a page is filled up where matches are left out: they belong to deleted conversations. */
const MAX_READS = 5;

interface SearchDeps {
  search: Pick<MessageSearch, 'find'>;
  conversations: Pick<ConversationStore, 'page'>;
  unindexed: Pick<UnindexedStore, 'texts'>;
}

/** Searches the messages of a user. */
export type SearchService = ReturnType<typeof createSearchService>;

export function createSearchService({ search, conversations, unindexed }: SearchDeps) {
  /** The matches that are shown: those whose conversation and message exist. */
  const present = async (ownerId: string, matches: MessageMatch[]) => {
    const ids = [...new Set(matches.map(({ conversationId }) => conversationId))];
    const [records, texts] = await Promise.all([
      conversations.page(ownerId, { ids, limit: ids.length }),
      unindexed.texts(
        matches.map(({ messageId }) => messageId),
        ownerId,
      ),
    ]);
    const titles = new Map(records.map(({ id, title }) => [id, title]));
    const presented: { match: MessageMatch; result: SearchResult | null }[] = [];
    for (const match of matches) {
      const title = titles.get(match.conversationId);
      const content = texts.get(match.messageId);
      const isShown = title !== undefined && content !== undefined;
      presented.push({ match, result: isShown ? presentResult(match, { title, content }) : null });
      // A long message takes some milliseconds; others are served between two of them.
      await setImmediate();
    }
    return presented;
  };

  return {
    /**
     * A page of the user's messages that contain every word of `q`, the newest first. A page may have fewer results
     * than others although more follow.
     */
    find: async (
      { userId: ownerId }: Pick<Actor, 'userId'>,
      { q, cursor }: { q: string; cursor?: string | undefined },
    ): Promise<SearchPage> => {
      const results: SearchResult[] = [];
      let before = cursor ? placeOf(cursor) : undefined;
      for (let reads = 0; reads < MAX_READS; reads += 1) {
        const limit = SEARCH_PAGE_SIZE + 1;
        const found = await search.find({ ownerId, q, before, limit });
        for (const { match, result } of await present(ownerId, found)) {
          if (results.length === SEARCH_PAGE_SIZE)
            return { results, next: before ? cursorOf(before) : null };
          if (result) results.push(result);
          before = match;
        }
        if (found.length < limit) return { results, next: null };
      }
      return { results, next: before ? cursorOf(before) : null };
    },
  };
}
