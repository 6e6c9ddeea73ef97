import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createLog } from '../../../log.ts';
import { HEARTBEAT_MS, startHeartbeat } from './heartbeat.ts';
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
  const writer = { parts: [PART], length: 0 };
  const checkpoint = vi.fn<ReplyStore['checkpoint']>(answer);
  const abort = vi.fn<(why: 'fenced' | 'stopped') => void>();
  const now = () => new Date();
  const log = createLog({ level: 'silent', name: 'test' });
  const generation = { replies: { checkpoint } as Partial<ReplyStore> as ReplyStore, now, log };
  const reply = { id: 'r', attempt: 3 };
  const heartbeat = startHeartbeat(generation, {
    reply,
    writer,
    abort,
    ...(sentTokens && { sentTokens }),
  });
  return { writer, checkpoint, abort, heartbeat };
}
// Not "to the next timer": that may belong to an earlier file, which shares its modules with this one.
const nextBeat = () => vi.advanceTimersByTimeAsync(HEARTBEAT_MS);

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

it('the text is written when it has grown, for the attempt that wrote it', async () => {
  const { writer, checkpoint, heartbeat } = beat(async () => ({ stopRequested: false }));
  await nextBeat();
  writer.length = 4;
  await nextBeat();
  await nextBeat();
  heartbeat.stop();
  const written = checkpoint.mock.calls.map(([call]) => call);
  expect(written).toMatchObject([
    { id: 'r', attempt: 3, parts: undefined },
    { parts: [PART] },
    { parts: undefined },
  ]);
});

it('the text of a failed checkpoint is written with the next one', async () => {
  const answers = [() => Promise.reject(new Error('No database.'))];
  const { writer, checkpoint, heartbeat } = beat(
    async () => answers.shift()?.() ?? { stopRequested: false },
  );
  writer.length = 4;
  await nextBeat();
  await nextBeat();
  await nextBeat();
  heartbeat.stop();
  const parts = checkpoint.mock.calls.map(([call]) => call.parts);
  expect(parts).toEqual([[PART], [PART], undefined]);
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
  const { abort, checkpoint, heartbeat } = beat(
    () => new Promise((resolve) => void answers.push(resolve)),
  );
  await nextBeat();
  const confirmed = heartbeat.confirm().catch((error: unknown) => error);
  answers[0]?.({ stopRequested: false });
  await vi.waitFor(() => expect(checkpoint).toHaveBeenCalledTimes(2));
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
