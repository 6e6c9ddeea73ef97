import { setImmediate } from 'node:timers/promises';
import type { Actor } from '../../../access/index.ts';
import type { SearchPage, SearchResult } from '../../../contract/conversations.ts';
import { SEARCH_PAGE_SIZE } from '../../../contract/limits.ts';
import type { MessageMatch } from '../../../search/index.ts';
import { readerOf, readShared } from '../conversations/index.ts';
import type { ChatFeature } from '../feature.ts';
import { snippetOf } from './snippet.ts';

/** The number of reads that fill a page up when matches of deleted conversations are left out. */
const MAX_READS = 5;

type Searched = Pick<ChatFeature, 'search' | 'conversations' | 'unindexed' | 'others'>;

/** Conversations of others in which a search looks: the ones that were last updated. */
const MAX_SHARED = 500;

/** The messages of one owner that are searched: all, or those of the conversations that are shared. */
interface Searchable {
  ownerId: string;
  conversationIds?: string[];
}

type Found = MessageMatch & { ownerId: string };

/** A page of messages that the user may read and that contain every word of `q`, newest first. A page may have fewer results although more follow. */
export async function searchMessages(
  chat: Searched,
  { userId }: Pick<Actor, 'userId'>,
  { q, cursor }: { q: string; cursor?: string | undefined },
): Promise<SearchPage> {
  const searched = [{ ownerId: userId }, ...(await searchableOfOthers(chat, userId))];
  const results: SearchResult[] = [];
  let before = cursor ? placeOf(cursor) : undefined;
  for (let reads = 0; reads < MAX_READS; reads += 1) {
    const limit = SEARCH_PAGE_SIZE + 1;
    const found = await findIn(chat, searched, { q, before, limit });
    for (const { match, result } of await presentMatches(chat, found)) {
      if (results.length === SEARCH_PAGE_SIZE)
        return { results, next: before ? cursorOf(before) : null };
      if (result) results.push(result);
      before = match;
    }
    if (found.length < limit) return { results, next: null };
  }
  return { results, next: before ? cursorOf(before) : null };
}

async function searchableOfOthers(chat: Searched, userId: string): Promise<Searchable[]> {
  const shared = await readShared(chat, await readerOf(chat.others, userId), MAX_SHARED);
  return byOwner(shared).map(({ ownerId, of }) => ({
    ownerId,
    conversationIds: of.map(({ id }) => id),
  }));
}

/** The text index is divided by owner: one read for each, merged. */
async function findIn(
  { search }: Searched,
  searched: readonly Searchable[],
  wanted: { q: string; before: Place | undefined; limit: number },
): Promise<Found[]> {
  const parts = await Promise.all(
    searched.map(async (one) =>
      (await search.find({ ...one, ...wanted })).map((match) => ({
        ...match,
        ownerId: one.ownerId,
      })),
    ),
  );
  const newestFirst = (a: Found, b: Found) =>
    b.createdAt.getTime() - a.createdAt.getTime() || (a.messageId < b.messageId ? 1 : -1);
  return parts.flat().toSorted(newestFirst).slice(0, wanted.limit);
}

/** The results for matches whose conversation and message exist. */
async function presentMatches({ conversations, unindexed }: Searched, matches: readonly Found[]) {
  const titles = new Map<string, string>();
  const texts = new Map<string, string>();
  for (const { ownerId, of } of byOwner(matches)) {
    const ids = [...new Set(of.map(({ conversationId }) => conversationId))];
    const [records, contents] = await Promise.all([
      conversations.page({ ownerId }, { ids, limit: ids.length }),
      unindexed.texts(of, ownerId),
    ]);
    for (const { id, title } of records) titles.set(id, title);
    for (const [id, content] of contents) texts.set(id, content);
  }
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

const byOwner = <R extends { ownerId: string }>(records: readonly R[]) =>
  [...new Set(records.map(({ ownerId }) => ownerId))].map((ownerId) => ({
    ownerId,
    of: records.filter((record) => record.ownerId === ownerId),
  }));

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
