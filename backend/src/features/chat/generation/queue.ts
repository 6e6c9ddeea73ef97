import { ensureQueued } from '../../../jobs/producer.ts';
import type { Lane } from '../../usage/index.ts';
import { lengthOf, partsOf, type ReplyRecord, replyJobId, replyOfJob } from '../messages/index.ts';
import type { GenerationFeature } from './feature.ts';
import { stateOf } from './live-text.ts';
import type { QueuedReply } from './reply-record.ts';

// The queue of replies (decision 16): lanes share the starts, and the users who ask take turns in a lane. A reply with a started attempt is in no
// lane and goes to the front.

/** The minimum interval between two published queue positions. */
export const POSITIONS_EVERY_MS = 1_000;
/** Replies behind these get positions when they are nearer. */
const MAX_JOBS = 10_000;
const MAX_READ = 1_000;
/** Far back, a position is published only when it has changed by this fraction. */
const PRECISION = 50;

type Queue = Pick<GenerationFeature, 'replyQueues' | 'bus' | 'log'>;

/** The id of the job of a reply's next attempt. */
export const nextJobId = (
  { replyQueues }: Pick<Queue, 'replyQueues'>,
  { id, conversationId, attempt }: Pick<ReplyRecord, 'id' | 'conversationId' | 'attempt'>,
): string => replyJobId({ id, conversationId, attempt: attempt + 1 }, replyQueues.current.length);

/** Takes the priority of a user's next reply. Enqueue the reply with it: an unused one costs the user a turn. */
export const takePriority = (
  { replyQueues }: Pick<Queue, 'replyQueues'>,
  { conversationId, userId, lane }: { conversationId: string; userId: string; lane: Lane },
): Promise<number> =>
  replyQueues.ofConversation(conversationId).fairQueue.enter({ group: lane, member: userId });

/** Enqueues a reply with its priority; without one as `ensureReplyQueued`. */
export const enqueueReply = async (
  queue: Queue,
  reply: ReplyRecord,
  priority?: Promise<number>,
): Promise<void> =>
  priority ? add(queue, reply, await priority) : ensureReplyQueued(queue, reply);

/** Enqueues a reply without a runnable job. */
export function ensureReplyQueued(queue: Queue, reply: ReplyRecord): Promise<void> {
  const { payer, lane: group, jobId } = reply;
  const { producer, fairQueue } = queue.replyQueues.ofJob(jobId);
  return ensureQueued(producer, jobId, async () => {
    await add(queue, reply, group && (await fairQueue.enter({ group, member: payer.userId })));
  });
}

/** The number of replies that start before this one; null when it does not wait, or Redis is unreachable. */
export const aheadOf = (
  { replyQueues }: Pick<Queue, 'replyQueues'>,
  { jobId }: ReplyRecord,
): Promise<number | null> => replyQueues.ahead(jobId).catch(() => null);

async function add(queue: Queue, reply: ReplyRecord, priority: number | undefined) {
  const { id: replyId, jobId, conversationId } = reply;
  const { producer } = queue.replyQueues.ofJob(jobId);
  await producer.add(jobId, { replyId, conversationId }, { priority });
  announce(queue, reply).catch((error: unknown) =>
    queue.log.warn({ err: error, replyId }, 'queue position not published'),
  );
}

/** Publishes the number of replies that start before this one, unless it is zero. */
async function announce({ replyQueues, bus }: Queue, reply: ReplyRecord) {
  const ahead = await replyQueues.ahead(reply.jobId);
  if (!ahead) return;
  const state = stateOf(reply, lengthOf(partsOf(reply)));
  await bus.publish(reply.ownerId, 'reply:state', { ...state, ahead });
}

interface Position {
  /** Null when the reply is no longer queued. */
  reply: QueuedReply | null;
  /** The last published position; null before the first. */
  published: number | null;
}

/** The positions that a worker follows, by job. */
export type Positions = Map<string, Position>;

/**
 * Publishes to the owners of waiting replies how many replies start before theirs. The leader does it for all: it reads each queue once and
 * each reply once, and publishes the changes.
 */
export async function publishPositions(
  generation: Pick<GenerationFeature, 'replyQueues' | 'replies' | 'bus'>,
  positions: Positions,
): Promise<void> {
  const waiting = await generation.replyQueues.waiting({ limit: MAX_JOBS });
  if (waiting.length === 0) return positions.clear();
  const found = await follow(
    generation,
    positions,
    waiting.map(({ jobId }) => jobId),
  );
  const publications: Promise<void>[] = [];
  for (const { jobId, ahead } of waiting) {
    const position = positions.get(jobId);
    // A job that has just arrived and is next may be on its way to a free worker.
    const isStarting = ahead === 0 && found.has(jobId);
    if (position && !isStarting && isNews(position, ahead))
      publications.push(publishPosition(generation, position, ahead));
  }
  await Promise.all(publications);
}

/**
 * Records the waiting jobs with their replies, and forgets all others.
 * @returns the new ones
 */
async function follow(
  { replies }: Pick<GenerationFeature, 'replies'>,
  positions: Positions,
  jobIds: string[],
) {
  const found = jobIds.filter((jobId) => !positions.has(jobId)).slice(0, MAX_READ);
  const queued = found.length > 0 ? await replies.findQueued(found.map(replyOfJob)) : [];
  const byJob = new Map(queued.map((reply) => [reply.jobId, reply]));
  const waiting = new Set(jobIds);
  for (const jobId of positions.keys()) if (!waiting.has(jobId)) positions.delete(jobId);
  for (const jobId of found)
    positions.set(jobId, { reply: byJob.get(jobId) ?? null, published: null });
  return new Set(found);
}

async function publishPosition(
  { bus }: Pick<GenerationFeature, 'bus'>,
  position: Position,
  ahead: number,
) {
  const { reply } = position;
  if (!reply) return;
  position.published = ahead;
  const { id: replyId, conversationId, ownerId, attempt, keptLength: length } = reply;
  const state = { replyId, conversationId, attempt, status: 'queued' as const, length, ahead };
  await bus.publish(ownerId, 'reply:state', state);
}

const isNews = ({ published }: Position, ahead: number): boolean =>
  published === null ||
  (published !== ahead && Math.abs(published - ahead) >= Math.floor(ahead / PRECISION));
