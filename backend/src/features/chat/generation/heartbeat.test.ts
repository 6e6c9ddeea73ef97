import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLog } from '../../../log.ts';
import { BEATS_PER_TEXT, startHeartbeat } from './heartbeat.ts';
import { HEARTBEAT_MS, Heartbeats } from './heartbeats.ts';
import { FencedError } from './log.ts';
import type { ReplyStore } from './model.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const PART = { type: 'text' as const, text: 'Owls' };

/** An attempt with a heartbeat, and the answers to its checkpoints. */
function beat(
  answer: () => Promise<{ stopRequested: boolean } | null>,
  sentTokens?: () => Promise<number | undefined>,
) {
  const writer = { parts: [PART], length: 0, isLogged: true };
  const checkpoint = vi.fn<ReplyStore['checkpoint']>(answer);
  const abort = vi.fn<(why: 'fenced' | 'stopped') => void>();
  const now = () => new Date();
  const log = createLog({ level: 'silent', name: 'test' });
  const heartbeats = new Heartbeats({ checkpoint, beatAll: async () => false });
  const reply = { id: 'r', conversationId: 'c', attempt: 3 };
  const heartbeat = startHeartbeat(
    { heartbeats, now, log },
    {
      reply,
      writer,
      abort,
      ...(sentTokens && { sentTokens }),
    },
  );
  return { writer, checkpoint, abort, heartbeat };
}
// Not "to the next timer": that may belong to an earlier file, which shares its modules with this one.
const nextBeat = async () => {
  await vi.advanceTimersByTimeAsync(HEARTBEAT_MS);
  // The heartbeats of one turn are stored in the next.
  await vi.advanceTimersByTimeAsync(1);
};

it.each([
  ['goes on', { stopRequested: false }, []],
  ['ends when a stop was requested', { stopRequested: true }, [['stopped']]],
  ['ends when a later attempt has the reply', null, [['fenced']]],
])('an attempt %s', async (_, answer, aborts) => {
  const { abort, heartbeat } = beat(async () => answer);
  await nextBeat();
  heartbeat.stop();
  expect(abort.mock.calls).toEqual(aborts);
});

const goesOn = async () => ({ stopRequested: false });

/** Which of the heartbeats had text. */
const textsOf = ({ checkpoint }: ReturnType<typeof beat>) =>
  checkpoint.mock.calls.map(([{ deltas }]) => deltas !== undefined);

it('every fifth heartbeat has the text since the last one that had text, when it has grown, for the attempt that wrote it', async () => {
  const beating = beat(goesOn);
  const { writer, checkpoint, heartbeat } = beating;
  const texts = { [BEATS_PER_TEXT]: 'Owls', [2 * BEATS_PER_TEXT]: 'Owls hoot' };
  for (let n = 1; n <= 4 * BEATS_PER_TEXT; n += 1) {
    const text = texts[n];
    if (text) Object.assign(writer, { parts: [{ ...PART, text }], length: text.length });
    await nextBeat();
  }
  heartbeat.stop();
  const written = checkpoint.mock.calls.map(([call], at) => ({ ...call, beat: at + 1 }));
  const added = { id: 'r', attempt: 3 };
  expect(written.filter(({ deltas }) => deltas)).toMatchObject([
    { ...added, beat: BEATS_PER_TEXT, deltas: [{ offset: 0, delta: 'Owls' }] },
    { ...added, beat: 2 * BEATS_PER_TEXT, deltas: [{ offset: 4, delta: ' hoot' }] },
  ]);
});

it('a reply of 38 KB in 30 s costs its text twice: by its checkpoints, and at its end', async () => {
  const beating = beat(goesOn);
  const { writer, checkpoint, heartbeat } = beating;
  const [size, beats] = [38_000, 30_000 / HEARTBEAT_MS];
  for (let n = 1; n <= beats; n += 1) {
    writer.length = Math.round((size * n) / beats);
    writer.parts = [{ ...PART, text: 'x'.repeat(writer.length) }];
    await nextBeat();
  }
  heartbeat.stop();
  const written = checkpoint.mock.calls.flatMap(([{ deltas }]) => deltas ?? []);
  expect(written.reduce((sum, { delta }) => sum + delta.length, size)).toBe(2 * size);
});

it('the text is also written when a part of it has ended', async () => {
  const beating = beat(goesOn);
  const { writer, heartbeat } = beating;
  for (const parts of [1, 1, 2, 2, 3]) {
    writer.parts = Array.from({ length: parts }, () => PART);
    writer.length += 4;
    await nextBeat();
  }
  heartbeat.stop();
  expect(textsOf(beating)).toEqual([false, false, true, false, true]);
});

it('the text is written with each heartbeat while the log does not accept it', async () => {
  const beating = beat(goesOn);
  const { writer, heartbeat } = beating;
  for (const isLogged of [true, false, false, true]) {
    writer.isLogged = isLogged;
    writer.length += 4;
    await nextBeat();
  }
  heartbeat.stop();
  expect(textsOf(beating)).toEqual([false, true, true, false]);
});

it('the text of a failed checkpoint is written with the next one', async () => {
  const beating = beat(async () => {
    if (beating.checkpoint.mock.calls.length === BEATS_PER_TEXT) throw new Error('No database.');
    return { stopRequested: false };
  });
  const { writer, heartbeat } = beating;
  writer.length = 4;
  for (let n = 0; n < BEATS_PER_TEXT + 2; n += 1) await nextBeat();
  heartbeat.stop();
  expect(textsOf(beating).slice(BEATS_PER_TEXT - 1)).toEqual([true, true, false]);
});

it('the sent tokens are stored once they are known', async () => {
  const sent: (number | undefined)[] = [undefined, 95];
  const answer = async () => ({ stopRequested: false });
  const { checkpoint, heartbeat } = beat(answer, async () => sent.shift());
  await nextBeat();
  await nextBeat();
  heartbeat.stop();
  const stored = checkpoint.mock.calls.map(([call]) => call.sent);
  expect(stored).toEqual([undefined, { promptTokens: 95 }]);
});

it('an attempt is confirmed by a checkpoint that began after the request', async () => {
  const answers: ((answer: { stopRequested: boolean } | null) => void)[] = [];
  const { writer, abort, checkpoint, heartbeat } = beat(
    () => new Promise((resolve) => void answers.push(resolve)),
  );
  writer.length = 4;
  await nextBeat();
  const confirmed = heartbeat.confirm().catch((error: unknown) => error);
  answers[0]?.({ stopRequested: false });
  await vi.waitFor(() => expect(checkpoint).toHaveBeenCalledTimes(2));
  // A new log may begin after its text.
  expect(checkpoint.mock.calls.map(([{ deltas }]) => deltas)).toMatchObject([
    undefined,
    [{ offset: 0, delta: PART.text }],
  ]);
  // The reply was removed between the two checkpoints.
  answers[1]?.(null);
  expect(await confirmed).toBeInstanceOf(FencedError);
  heartbeat.stop();
  expect(abort.mock.calls).toEqual([['fenced']]);
});

it('a failed checkpoint ends nothing', async () => {
  const { abort, checkpoint, heartbeat } = beat(() => Promise.reject(new Error('No database.')));
  await nextBeat();
  await nextBeat();
  heartbeat.stop();
  expect(checkpoint).toHaveBeenCalledTimes(2);
  expect(abort).not.toHaveBeenCalled();
});

describe('several replies', () => {
  const FENCED = 120;

  /** Heartbeats of that many replies, of which one has a later attempt, while the first command says that all go on or not. */
  async function beatOnce(count: number, goOn: () => Promise<boolean>) {
    const checkpoint = vi.fn<ReplyStore['checkpoint']>(async ({ id }) =>
      id === `r${FENCED}` ? null : { stopRequested: false },
    );
    const beatAll = vi.fn<ReplyStore['beatAll']>(goOn);
    const heartbeats = new Heartbeats({ checkpoint, beatAll });
    const log = createLog({ level: 'silent', name: 'test' });
    const fenced: string[] = [];
    const ends = Array.from({ length: count }, (_, n) => {
      const reply = { id: `r${n}`, conversationId: 'c', attempt: 1 };
      const writer = { parts: [PART], length: 0, isLogged: true };
      const abort = () => fenced.push(reply.id);
      return startHeartbeat({ heartbeats, now: () => new Date(), log }, { reply, writer, abort });
    });
    await nextBeat();
    for (const { stop } of ends) stop();
    return { fenced, checkpoint, batches: beatAll.mock.calls.map(([batch]) => batch.length) };
  }

  it('write their heartbeats with one command for each hundred', async () => {
    const { batches, checkpoint } = await beatOnce(250, async () => true);
    expect(batches).toEqual([100, 100, 50]);
    expect(checkpoint).not.toHaveBeenCalled();
  });

  it('are asked one by one which of them has a later attempt', async () => {
    const { fenced, checkpoint } = await beatOnce(150, async () => false);
    expect(fenced).toEqual([`r${FENCED}`]);
    expect(checkpoint).toHaveBeenCalledTimes(150);
  });

  it('go on when the database fails', async () => {
    const failing = () => Promise.reject(new Error('No database.'));
    const { fenced, checkpoint } = await beatOnce(150, failing);
    expect([fenced, checkpoint.mock.calls]).toEqual([[], []]);
  });
});
