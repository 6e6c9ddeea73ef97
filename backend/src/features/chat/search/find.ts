import { setImmediate } from 'node:timers/promises';
import type { Actor } from '../../../access/index.ts';
import type { SearchPage, SearchResult } from '../../../contract/conversations.ts';
import { SEARCH_PAGE_SIZE } from '../../../contract/limits.ts';
import type { MessageMatch } from '../../../search/index.ts';
import type { ChatFeature } from '../feature.ts';
import { snippetOf } from './snippet.ts';

/** The number of reads that fill a page up when matches of deleted conversations are left out. */
const MAX_READS = 5;

type Searched = Pick<ChatFeature, 'search' | 'conversations' | 'unindexed'>;

/** A page of the user's messages that contain every word of `q`, newest first. A page may have fewer results although more follow. */
export async function searchMessages(
  chat: Searched,
  { userId: ownerId }: Pick<Actor, 'userId'>,
  { q, cursor }: { q: string; cursor?: string | undefined },
): Promise<SearchPage> {
  const results: SearchResult[] = [];
  let before = cursor ? placeOf(cursor) : undefined;
  for (let reads = 0; reads < MAX_READS; reads += 1) {
    const limit = SEARCH_PAGE_SIZE + 1;
    const found = await chat.search.find({ ownerId, q, before, limit });
    for (const { match, result } of await presentMatches(chat, ownerId, found)) {
      if (results.length === SEARCH_PAGE_SIZE)
        return { results, next: before ? cursorOf(before) : null };
      if (result) results.push(result);
      before = match;
    }
    if (found.length < limit) return { results, next: null };
  }
  return { results, next: before ? cursorOf(before) : null };
}

/** The results for matches whose conversation and message exist. */
async function presentMatches(
  { conversations, unindexed }: Searched,
  ownerId: string,
  matches: MessageMatch[],
) {
  const ids = [...new Set(matches.map(({ conversationId }) => conversationId))];
  const [records, texts] = await Promise.all([
    conversations.page(ownerId, { ids, limit: ids.length }),
    unindexed.texts(matches, ownerId),
  ]);
  const titles = new Map(records.map(({ id, title }) => [id, title]));
  const presented: { match: MessageMatch; result: SearchResult | null }[] = [];
  for (const match of matches) {
    const title = titles.get(match.conversationId);
    const content = texts.get(match.messageId);
    const isShown = title !== undefined && content !== undefined;
    presented.push({ match, result: isShown ? presentResult(match, { title, content }) : null });
    // A long message takes some milliseconds; the process serves other requests in between.
    await setImmediate();
  }
  return presented;
}

const presentResult = (
  { messageId, conversationId, role, createdAt, words }: MessageMatch,
  { title, content }: { title: string; content: string },
): SearchResult => ({
  conversationId,
  messageId,
  title,
  ...snippetOf(content, words),
  role,
  createdAt: createdAt.toISOString(),
});

type Place = Pick<MessageMatch, 'createdAt' | 'messageId'>;

const cursorOf = ({ createdAt, messageId }: Place): string =>
  `${createdAt.toISOString()}-${messageId}`;

/** The place in a cursor that the contract has validated. */
const placeOf = (cursor: string): Place => ({
  createdAt: new Date(cursor.slice(0, 24)),
  messageId: cursor.slice(25),
});
