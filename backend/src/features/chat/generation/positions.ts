import type { JobProducer } from '../../../jobs/producer.ts';
import type { Bus } from '../../../realtime/bus.ts';
import { type ReplyJob, replyIdOf } from './job.ts';
import type { ReplyStore } from './model.ts';
import type { QueuedReply } from './reply-record.ts';

/** A queue position is published at most this often. */
export const POSITIONS_EVERY_MS = 1_000;
/** Replies behind these learn their positions when they are nearer. */
const MAX_JOBS = 10_000;
const MAX_READ = 1_000;
/** Far back, a position is published when it has changed by one in so many. */
const PRECISION = 50;

interface PositionsDeps {
  producer: Pick<JobProducer<ReplyJob>, 'waiting'>;
  replies: Pick<ReplyStore, 'findQueued'>;
  bus: Pick<Bus, 'publish'>;
  /** Whether this worker, of all, publishes the positions now. */
  isLeader: () => Promise<boolean>;
}

interface Position {
  /** Null when the reply is not queued any more. */
  reply: QueuedReply | null;
  /** What was published last; null before. */
  published: number | null;
}

/**
 * Publishes to the owners of waiting replies how many replies start before theirs. One worker does it for all: it reads
 * the queue once, each reply once, and publishes what has changed.
 */
export function createPositions({ producer, replies, bus, isLeader }: PositionsDeps) {
  let positions = new Map<string, Position>();

  /** Notes the jobs that wait now, with their replies. */
  const follow = async (jobIds: string[]) => {
    const found = jobIds.filter((jobId) => !positions.has(jobId)).slice(0, MAX_READ);
    const queued = found.length > 0 ? await replies.findQueued(found.map(replyIdOf)) : [];
    const byJob = new Map(queued.map((reply) => [reply.jobId, reply]));
    const followed = new Map<string, Position>();
    for (const jobId of jobIds) {
      const position = positions.get(jobId);
      if (position) followed.set(jobId, position);
    }
    for (const jobId of found)
      followed.set(jobId, { reply: byJob.get(jobId) ?? null, published: null });
    positions = followed;
    return new Set(found);
  };

  const publish = async (position: Position, ahead: number) => {
    const { reply } = position;
    if (!reply) return;
    position.published = ahead;
    const { id: replyId, conversationId, ownerId, attempt, keptLength: length } = reply;
    const state = { replyId, conversationId, attempt, status: 'queued' as const, length, ahead };
    await bus.publish(ownerId, 'reply:state', state);
  };

  return async (): Promise<void> => {
    const { ahead: front, jobIds } = await producer.waiting({ limit: MAX_JOBS });
    if (jobIds.length === 0 || !(await isLeader())) {
      positions.clear();
      return;
    }
    const found = await follow(jobIds);
    const publications: Promise<void>[] = [];
    for (const [index, jobId] of jobIds.entries()) {
      const position = positions.get(jobId);
      const ahead = front + index;
      // A job that has just arrived and is the next one may be on its way to a worker that is free.
      const isStarting = ahead === 0 && found.has(jobId);
      if (position && !isStarting && isNews(position, ahead))
        publications.push(publish(position, ahead));
    }
    await Promise.all(publications);
  };
}

const isNews = ({ published }: Position, ahead: number): boolean =>
  published === null ||
  (published !== ahead && Math.abs(published - ahead) >= Math.floor(ahead / PRECISION));
