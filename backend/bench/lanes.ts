/**
 * Benchmark `lanes`: the waiting time of queued replies, by lane and user, when many more are queued than may run. The baseline is the same
 * queue without priorities: first in, first out. `npm run bench -- lanes`
 */
import { startServices } from '../../frontend/e2e/product.ts';
import { ms, p50, p95 } from './lib/quantiles.ts';
import { type Lane, openReplyQueues, type Queued, type ReplyQueues } from './lib/reply-queues.ts';
import { atMost, delayRow, inUnit, printTable, printTitle, printVerdicts } from './lib/report.ts';

const LANES: Lane[] = ['pro', 'starter', 'guest'];
const USERS: Record<Lane, number> = { pro: 10, starter: 15, guest: 25 };
/** The shares by the weights 4 : 2 : 1. */
const SHARES: Record<Lane, number> = { pro: 4 / 7, starter: 2 / 7, guest: 1 / 7 };
const REPLIES_PER_USER = 20;
const WORK = { concurrency: 10, replyMs: 20 };
/** After this number of starts, a user of each lane without queued replies sends one. */
const NEW_USERS_AFTER = 100;

const usersOf = (lane: Lane) => Array.from({ length: USERS[lane] }, (_, n) => `${lane}-${n}`);
const everyone = LANES.flatMap((lane) => usersOf(lane).map((user) => ({ lane, user })));

interface Load {
  isFair: boolean;
  /** Each user sends all messages before the next one does, guests first; otherwise the users take turns. */
  isBurst: boolean;
}

function arrivals(isBurst: boolean) {
  const users = everyone.toReversed();
  const rounds = Array.from({ length: REPLIES_PER_USER }, (_, n) => n);
  return isBurst ? users.flatMap((user) => rounds.map(() => user)) : rounds.flatMap(() => users);
}

async function saturate({ open }: ReplyQueues, { isFair, isBurst }: Load): Promise<Queued[]> {
  const queue = open({ isFair });
  for (const { lane, user } of arrivals(isBurst)) await queue.enqueue(lane, user);
  const onStart = (starts: number) => {
    if (starts !== NEW_USERS_AFTER) return;
    for (const lane of LANES) void queue.enqueue(lane, `${lane}-new`);
  };
  return queue.work({ ...WORK, onStart });
}

/** One user has twenty replies queued, then another one sends one: the wait of the latter, with one reply running at once. */
async function behindTwenty({ open }: ReplyQueues, isFair: boolean): Promise<Queued> {
  const queue = open({ isFair });
  for (let n = 0; n < REPLIES_PER_USER; n += 1) await queue.enqueue('starter', 'many');
  await queue.enqueue('starter', 'one');
  const replies = await queue.work({ ...WORK, concurrency: 1 });
  const one = replies.find(({ user }) => user === 'one');
  if (!one) throw new Error('The reply was not started.');
  return one;
}

const waitOf = ({ startedAt, queuedAt }: Queued) => startedAt - queuedAt;
const isNew = ({ user }: Queued) => user.endsWith('-new');
const inLane = (replies: Queued[], lane: Lane) =>
  replies.filter((reply) => reply.lane === lane && !isNew(reply));
const medianOf = (replies: Queued[], lane: Lane) => p50(inLane(replies, lane).map(waitOf));

/** The median waits of the lane's users, in ascending order. */
function medians(replies: Queued[], lane: Lane): number[] {
  const own = inLane(replies, lane);
  return usersOf(lane)
    .map((user) => p50(own.filter((reply) => reply.user === user).map(waitOf)))
    .toSorted((a, b) => a - b);
}

const spread = (replies: Queued[], lane: Lane) => {
  const all = medians(replies, lane);
  return { least: all[0] ?? Number.NaN, greatest: all.at(-1) ?? Number.NaN };
};

/** The maximum number of starts between two of the lane while it has waiting replies. */
function longestPause(replies: Queued[], lane: Lane): number {
  const ranks = inLane(replies, lane).map(({ rank }) => rank);
  return Math.max(...ranks.map((rank, n) => rank - (ranks[n - 1] ?? -1)));
}

/** The lane's share of the starts while every lane has waiting replies. */
function shareOf(replies: Queued[], lane: Lane): number {
  const lasts = LANES.map((one) => inLane(replies, one).at(-1)?.rank ?? 0);
  const contended = replies.slice(0, Math.min(...lasts));
  return inLane(contended, lane).length / contended.length;
}

/** The number of the lane's starts until each of its users has had one. */
function untilAllHadOne(replies: Queued[], lane: Lane): number {
  const own = inLane(replies, lane);
  return Math.max(...usersOf(lane).map((name) => own.findIndex(({ user }) => user === name))) + 1;
}

function rowsOf(name: string, replies: Queued[]) {
  return LANES.map((lane) => {
    const waits = inLane(replies, lane).map(waitOf);
    const { least, greatest } = spread(replies, lane);
    const single = replies.find((reply) => reply.lane === lane && isNew(reply));
    return [
      `${name}: ${lane}`,
      ms(p50(waits)),
      ms(p95(waits)),
      ms(Math.max(...waits)),
      `${ms(least)} to ${ms(greatest)}`,
      single ? ms(waitOf(single)) : '–',
      longestPause(replies, lane),
      `${Math.round(100 * shareOf(replies, lane))}%`,
      `${untilAllHadOne(replies, lane)} (${USERS[lane]})`,
    ];
  });
}

const greatest = (figure: (lane: Lane) => number) => Math.max(...LANES.map(figure));

const services = await startServices({ OPENAI_API_KEY: 'bench' });
const queues = await openReplyQueues(services.settings.REDIS_URL ?? '');
try {
  const fifo = await saturate(queues, { isFair: false, isBurst: false });
  const fifoBursts = await saturate(queues, { isFair: false, isBurst: true });
  const inTurn = await saturate(queues, { isFair: true, isBurst: false });
  const inBursts = await saturate(queues, { isFair: true, isBurst: true });
  const behindFifo = await behindTwenty(queues, false);
  const behind = await behindTwenty(queues, true);
  const idleFifo = await queues.open({ isFair: false }).measureIdle();
  const idle = await queues.open({ isFair: true }).measureIdle();

  const queued = `${everyone.length * REPLIES_PER_USER} queued replies of ${everyone.length} users`;
  printTitle(`lanes: ${queued}, ${WORK.concurrency} at once, ${WORK.replyMs} ms each`);
  printTable(
    ['wait', 'p50', 'p95', 'max', 'p50 of users', 'a new user', 'pause', 'share', 'all had one'],
    [
      ...rowsOf('sent in turn', inTurn),
      ...rowsOf('sent in bursts', inBursts),
      ...rowsOf('floor, in turn', fifo),
      ...rowsOf('floor, in bursts', fifoBursts),
    ],
  );
  printTable(
    ['one reply', 'wait', 'starts before it'],
    [
      ["behind another user's twenty", ms(waitOf(behind)), behind.rank],
      ["floor: behind another user's twenty", ms(waitOf(behindFifo)), behindFifo.rank],
    ],
  );
  printTable(
    ['with an idle worker', 'p50', 'p95'],
    [
      delayRow('priority, beside the database write', idle.priority),
      delayRow('enqueue', idle.add),
      delayRow('floor: enqueue', idleFifo.add),
      delayRow('from enqueue to start', idle.start),
      delayRow('floor: from enqueue to start', idleFifo.start),
    ],
  );
  const shareError = greatest((lane) => Math.abs(shareOf(inTurn, lane) - SHARES[lane]));
  const pause = greatest((lane) => longestPause(inTurn, lane));
  const burstPause = greatest((lane) => longestPause(inBursts, lane));
  const ratio = greatest((lane) => {
    const { least, greatest: most } = spread(inTurn, lane);
    return most / least;
  });
  const rounds = greatest((lane) => untilAllHadOne(inTurn, lane) / USERS[lane]);
  const burstRounds = greatest((lane) => untilAllHadOne(inBursts, lane) / USERS[lane]);
  const ordered = [inTurn, inBursts].every(
    (replies) =>
      medianOf(replies, 'pro') < medianOf(replies, 'starter') &&
      medianOf(replies, 'starter') < medianOf(replies, 'guest'),
  );
  printVerdicts([
    {
      promise: 'Pro waits less than Starter, Starter less than guests',
      measured: ordered ? 'yes' : 'no',
      kept: ordered,
    },
    atMost('off the shares of 4 : 2 : 1 of the starts', 100 * shareError, 5, inUnit(' points')),
    {
      promise: 'no lane starves: a start in each 14 (in bursts 40)',
      measured: `${pause} (${burstPause})`,
      kept: pause <= 14 && burstPause <= 40,
    },
    atMost('users of a lane wait alike: medians differ by', 100 * (ratio - 1), 25, inUnit('%', 0)),
    {
      promise:
        "nobody waits for another's twenty: all users of a lane have had one after 2 rounds (in bursts 4)",
      measured: `${rounds.toFixed(1)} (${burstRounds.toFixed(1)})`,
      kept: rounds <= 2 && burstRounds <= 4 && behind.rank <= 2,
    },
  ]);
} finally {
  queues.close();
  await services.stop();
}
