import { Readable } from 'node:stream';
import { beforeEach, describe, expect, it } from 'vitest';
import { toCsv } from './csv.ts';
import type { ReplyLine } from './lines.ts';
import { readLines, readReplyUsage } from './lines.ts';
import { actsOf, first, MINUTE, used } from './test/acts.ts';
import { type Book, newObjectId, withBook } from './test/ledger-book.ts';

let book: Book;
let user: string;

withBook((opened) => {
  book = opened;
});

const { reserve, subscriber } = actsOf(() => book);

beforeEach(() => {
  user = subscriber(1_000_000);
});

const toArray = <T>(items: AsyncIterable<T>): Promise<T[]> => Readable.from(items).toArray();
const textOf = async (chunks: AsyncIterable<string>) => (await toArray(chunks)).join('');
const linesOf = (ownerId: string) => toArray(readLines(book.usage, ownerId));

describe('the usage of a reply', () => {
  it('has its attempts and background calls, open ones included, oldest first', async () => {
    const { replyId } = first();
    await reserve(user, { replyId, attempt: 1 });
    await book.usage.settle(user, { replyId, attempt: 1 }, { ...used(90, 30), model: 'model-1' });
    book.later(MINUTE);
    await book.usage.settle(user, { replyId, attempt: 1, kind: 'check' }, used(20, 5));
    book.later(MINUTE);
    await reserve(user, { replyId, attempt: 2 });
    await reserve(user);
    expect(await readReplyUsage(book.usage, user, replyId)).toMatchObject({
      replyId,
      tokens: 145,
      entries: [
        { attempt: 1, kind: 'reply', state: 'settled', model: 'model-1', completionTokens: 30 },
        { attempt: 1, kind: 'check', state: 'settled', model: null, promptTokens: 20 },
        {
          attempt: 2,
          kind: 'reply',
          state: 'reserved',
          promptTokens: 100,
          completionTokens: 400,
          at: book.now().toISOString(),
        },
      ],
    });
  });

  it('has an attempt once that is charged and not yet written, or reserved again', async () => {
    const [charged, released] = [first(), first()];
    await reserve(user, charged);
    expect(await book.dieBefore(1, () => book.usage.settle(user, charged, used(90, 30)))).toBe(
      true,
    );
    expect(await readReplyUsage(book.usage, user, charged.replyId)).toMatchObject({
      tokens: 120,
      entries: [{ state: 'settled' }],
    });
    await reserve(user, released);
    await book.usage.release(user, released);
    await reserve(user, released);
    const { entries } = await readReplyUsage(book.usage, user, released.replyId);
    expect(entries).toMatchObject([{ state: 'reserved' }]);
  });

  it('has an attempt once that is settled between its two reads', async () => {
    const key = first();
    await reserve(user, key);
    const { findReservations } = book.store;
    book.store.findReservations = async (...args) => {
      const found = await findReservations(...args);
      await book.usage.settle(user, key, used(90, 30));
      return found;
    };
    const { entries } = await readReplyUsage(book.usage, user, key.replyId);
    book.store.findReservations = findReservations;
    expect(entries).toMatchObject([{ state: 'settled' }]);
  });

  it('has nothing of other users and replies', async () => {
    const key = first();
    const others = [first('0'.repeat(24)), first('f'.repeat(24))];
    for (const one of [key, ...others]) {
      await reserve(user, one);
      await book.usage.settle(user, one, used(90, 30));
      await reserve(user, { ...one, attempt: 2 });
    }
    const { entries } = await readReplyUsage(book.usage, user, key.replyId);
    expect(entries).toHaveLength(2);
    expect(await readReplyUsage(book.usage, newObjectId(), key.replyId)).toMatchObject({
      tokens: 0,
      entries: [],
    });
  });
});

describe('the lines of a user', () => {
  it('are those of all periods, latest first, each once, open ones among them', async () => {
    const [early, open, late] = [first(), first(), first()];
    for (const key of [early, open, late]) {
      await reserve(user, key);
      book.later(MINUTE);
    }
    for (const key of [early, late]) await book.usage.settle(user, key, used(90, 30));
    book.entitle(user, { period: { id: 'another', startsAt: null, endsAt: null } });
    const next = first();
    await reserve(user, next);
    await reserve(subscriber(1_000));
    expect(await linesOf(user)).toMatchObject([
      { replyId: next.replyId, state: 'reserved' },
      { replyId: late.replyId, state: 'settled' },
      { replyId: open.replyId, state: 'reserved' },
      { replyId: early.replyId, state: 'settled' },
    ]);
  });

  it('are only open ones without a charge', async () => {
    await reserve(user);
    expect(await linesOf(user)).toMatchObject([{ state: 'reserved' }]);
  });

  it('are all there when there are several pages, with equal times', async () => {
    const keys = Array.from({ length: 17 }, () => first());
    for (const [n, key] of keys.entries()) {
      await book.usage.settle(user, key, used(n, 1));
      if (n % 5 === 4) book.later(MINUTE);
    }
    const other = subscriber(1_000);
    await book.usage.settle(other, first(), used(1, 1));
    const entries = await toArray(book.ledger.ofUser(user, 3));
    expect(new Set(entries.map(({ replyId }) => replyId)).size).toBe(17);
    expect(entries).toHaveLength(17);
    const times = entries.map(({ at }) => at.getTime());
    expect(times).toEqual(times.toSorted((a, b) => b - a));
  });

  it('have an attempt once that is settled while they are read', async () => {
    const key = first();
    await reserve(user, key);
    const lines = readLines(book.usage, user);
    const { findReservations } = book.store;
    book.store.findReservations = async (...args) => {
      const found = await findReservations(...args);
      await book.usage.settle(user, key, used(90, 30));
      return found;
    };
    const read = await toArray(lines);
    book.store.findReservations = findReservations;
    expect(read).toMatchObject([{ replyId: key.replyId, state: 'reserved' }]);
  });
});

describe('the CSV', () => {
  const line: ReplyLine = {
    replyId: 'r1',
    workspaceId: null,
    conversationId: null,
    attempt: 1,
    kind: 'reply',
    state: 'settled',
    model: 'model-1',
    promptTokens: 90,
    cachedTokens: 64,
    completionTokens: 30,
    reasoningTokens: 12,
    tokens: 62,
    at: '2026-03-10T09:00:00.000Z',
  };
  const csvOf = async (...lines: ReplyLine[]) =>
    textOf(
      toCsv(
        (async function* () {
          yield* lines;
        })(),
      ),
    );

  it('has a line with the titles and one for each entry', async () => {
    expect(await csvOf(line)).toBe(
      'date,kind,reply id,attempt,state,model,prompt tokens,cached tokens,completion tokens,reasoning tokens,total tokens,charged tokens,paid by workspace,paid by owner of conversation\r\n' +
        '2026-03-10T09:00:00.000Z,reply,r1,1,settled,model-1,90,64,30,12,120,62,,\r\n',
    );
  });

  it('has every entry when there are many', async () => {
    const text = await csvOf(...Array.from({ length: 1_001 }, () => line));
    expect(text.split('\r\n')).toHaveLength(1_003);
  });

  it.each([
    ['a,b', '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ['two\nlines', '"two\nlines"'],
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    ['=HYPERLINK("x","y")', `"'=HYPERLINK(""x"",""y"")"`],
  ])('has the model %j as %j', async (model, field) => {
    expect(await csvOf({ ...line, model })).toContain(`,settled,${field},90,`);
  });

  it('leaves out an unknown model, and a reply that an entry does not have', async () => {
    expect(await csvOf({ ...line, model: null, attempt: 0 })).toContain(
      ',reply,,0,settled,,90,64,30,12,120,62,,\r\n',
    );
  });
});
