/**
 * Benchmark `list`: one user with 10,000 own conversations and 10,000 that another user has shared with them, 100,000 messages each, on the
 * embedded database: pages of the list, and searches of titles and messages, by HTTP. A second user has a tenth of it, to compare the cost
 * of a page. `npm run bench -- list`, with `--share 0.1` on a tenth of it all.
 */
import { parseArgs } from 'node:util';
import { createConnection, Types } from 'mongoose';
import { userPrincipal } from '../src/access/index.ts';
import type { Conversation, SearchPage } from '../src/contract/conversations.ts';
import { entryText } from '../src/search/entry-text.ts';
import { visitor } from '../test/visitor.ts';
import { callsOf } from './lib/calls.ts';
import { ms, p50, p95, timed } from './lib/quantiles.ts';
import { atMost, delayRow, inUnit, printTable, printTitle, printVerdicts } from './lib/report.ts';
import { startSeededProduct } from './lib/stamped-product.ts';
import { writer } from './lib/words.ts';

const QUERIES = 1_000;
const LIMIT_MS = 100;
const { values } = parseArgs({ options: { share: { type: 'string', default: '1' } } });
const share = Number(values.share);
const LARGE = { conversations: 10_000 * share, messages: 100_000 * share };
const SMALL = { conversations: LARGE.conversations / 10, messages: LARGE.messages / 10 };
/** Maximum ratio of the cost of a page of the larger owner to one of the smaller. */
const LIMIT_GROWTH = 3;
const BATCH = 500;
const WORDS_PER_MESSAGE = { user: 25, assistant: 150 };

/** Stores conversations, messages and their search entries like the product, shared with the user `sharedWith`. */
async function fill(
  uri: string,
  { ownerId, sharedWith }: { ownerId: string; sharedWith?: string },
  size: typeof LARGE,
): Promise<void> {
  const connection = await createConnection(uri).asPromise();
  const owner = new Types.ObjectId(ownerId);
  const grants = sharedWith && {
    grants: [{ principal: userPrincipal(sharedWith), role: 'editor' }],
  };
  const text = writer(ownerId);
  const perConversation = size.messages / size.conversations;
  const start = Date.now() - size.messages * 60_000;
  const ids = Array.from({ length: size.conversations }, () => new Types.ObjectId());
  const insert = async (name: string, documents: object[]) => {
    for (let from = 0; from < documents.length; from += BATCH)
      await connection.collection(name).insertMany(documents.slice(from, from + BATCH));
  };
  for (let from = 0; from < size.messages; from += BATCH) {
    const messages = Array.from({ length: BATCH }, (_, at) => {
      const n = from + at;
      const depth = n % perConversation;
      const role = depth % 2 === 0 ? ('user' as const) : ('assistant' as const);
      return {
        _id: new Types.ObjectId(),
        conversationId: ids[Math.floor(n / perConversation)],
        ownerId: owner,
        role,
        content: text(WORDS_PER_MESSAGE[role]),
        createdAt: new Date(start + n * 60_000),
        depth,
        ...(role === 'assistant' && { status: 'complete', attempt: 1 }),
      };
    });
    await insert('messages', messages);
    await insert(
      'searchentries',
      messages.map(({ content, ...message }) => ({
        _id: message._id,
        ownerId: message.ownerId,
        conversationId: message.conversationId,
        role: message.role,
        createdAt: message.createdAt,
        words: entryText(content),
      })),
    );
  }
  const conversations = ids.map((_id, n) => {
    const at = new Date(start + n * perConversation * 60_000);
    return { _id, ownerId: owner, title: text(6), createdAt: at, updatedAt: at, ...grants };
  });
  await insert('conversations', conversations);
  await connection.close();
}

/** Calls `call` with different arguments; returns the milliseconds of each. */
async function timesOf(call: (n: number) => Promise<unknown>): Promise<number[]> {
  for (let n = 0; n < 20; n += 1) await call(QUERIES + n);
  const times: number[] = [];
  for (let n = 0; n < QUERIES; n += 1) times.push(await timed(() => call(n)));
  return times;
}

const signUp = async (url: string) => callsOf(await visitor(url).guest());

async function measure(get: ReturnType<typeof callsOf>) {
  const word = writer('queries');
  let before: string | undefined;
  const list = await timesOf(async () => {
    const page = await get<Conversation[]>(`/conversations${before ? `?before=${before}` : ''}`);
    const last = page.at(-1);
    before = last && page.length === 50 ? `${last.updatedAt}_${last.id}` : undefined;
  });
  const titles = await timesOf(() => get(`/conversations?q=${encodeURIComponent(word(1))}`));
  let q = '';
  let cursor: string | null = null;
  const results: number[] = [];
  const messages = await timesOf(async (n) => {
    // One, two or three words by their frequency in texts, the last one half typed; every fourth call is a next page.
    if (n % 4 !== 3 || cursor === null) {
      const words = word(1 + (n % 3));
      q = n % 2 ? words : words.slice(0, Math.ceil(words.length * 0.8));
      cursor = null;
    }
    const next: string = cursor === null ? '' : `&cursor=${cursor}`;
    const page = await get<SearchPage>(`/search?q=${encodeURIComponent(q)}${next}`);
    results.push(page.results.length);
    cursor = page.next;
  });
  return { list, titles, messages, results };
}

const { product, databaseUri: uri, stop } = await startSeededProduct();
try {
  const owners = { small: await signUp(product.url), large: await signUp(product.url) };
  for (const [name, size] of [
    ['small', SMALL],
    ['large', LARGE],
  ] as const) {
    const { id } = await owners[name]<{ id: string }>('/auth/user');
    await fill(uri, { ownerId: id }, size);
    await fill(uri, { ownerId: new Types.ObjectId().toHexString(), sharedWith: id }, size);
  }
  const small = await measure(owners.small);
  const large = await measure(owners.large);

  printTitle(
    `list: ${LARGE.conversations} own and ${LARGE.conversations} shared conversations, ${LARGE.messages} messages each`,
  );
  const row = (name: string, times: number[], few: number[]) =>
    delayRow(name, times, times.length, ms(p50(few)), ms(p95(few)));
  printTable(
    ['', 'p50', 'p95', 'calls', 'p50 with a tenth', 'p95 with a tenth'],
    [
      row('page of conversations', large.list, small.list),
      row('titles that contain a word', large.titles, small.titles),
      row('messages that contain words', large.messages, small.messages),
    ],
  );
  console.log(`messages found per page: p50 ${p50(large.results)}`);
  printVerdicts([
    ...(['list', 'titles', 'messages'] as const).map((what) =>
      atMost(`${what}: p95`, p95(large[what]), LIMIT_MS),
    ),
    atMost(
      'a page of ten times as many conversations: p50',
      p50(large.list) / p50(small.list),
      LIMIT_GROWTH,
      inUnit(' times', 2),
    ),
  ]);
} finally {
  await stop();
}
