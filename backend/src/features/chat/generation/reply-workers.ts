import { measureLoopDelay } from '../../../jobs/loop-delay.ts';
import { createSharedLimit } from '../../../jobs/shared-limit.ts';
import { type JobRun, type JobWorker, startWorker } from '../../../jobs/worker.ts';
import type { ReplyWorker } from './feature.ts';
import { type ReplyJob, replyJob } from './reply-queues.ts';
import { releaseAll, runReply } from './runner.ts';

/** The interval in which a worker looks for queues of another number of queues that have jobs. */
const FORMER_EVERY_MS = 10_000;

interface Options {
  /** Replies that the process streams at once, of all queues together. */
  concurrency: number;
}

/** The job that writes replies, of all queues. */
export const runReplies = (worker: ReplyWorker, options: Options): JobRun => ({
  queue: replyJob.name,
  start: (start) => serveQueues(worker, { ...start, ...options }),
  releaseAll: () => releaseAll(worker),
});

async function serveQueues(
  worker: ReplyWorker,
  { concurrency, redis, onError }: Options & Parameters<JobRun['start']>[0],
): Promise<JobWorker> {
  const { replyQueues } = worker;
  const loopDelay = measureLoopDelay();
  const limit = createSharedLimit(concurrency);
  const served = new Map<number, Promise<JobWorker>>();
  const serve = (queue: number) => {
    const earlier = served.get(queue);
    if (earlier) return earlier;
    const { job, fairQueue } = replyQueues.at(queue);
    const handle = (payload: ReplyJob) => runReply(worker, payload);
    const shared = { redis, onError, concurrency, limit, loopDelay };
    const started = startWorker(job, { ...shared, handle, onStart: fairQueue.started });
    served.set(queue, started);
    // It is tried again.
    started.catch(() => served.delete(queue));
    return started;
  };
  let isClosed = false;
  const serveFormer = async () => {
    const queues = await replyQueues.findFormer();
    if (!isClosed) await Promise.all(queues.map(serve));
  };
  await Promise.all(replyQueues.current.map(serve));
  const lookAgain = () =>
    void serveFormer().catch((error: unknown) => onError(error, { queue: replyJob.name }));
  lookAgain();
  const timer = setInterval(lookAgain, FORMER_EVERY_MS);
  return {
    close: async () => {
      isClosed = true;
      clearInterval(timer);
      loopDelay.stop();
      await Promise.all([...served.values()].map(async (started) => (await started).close()));
    },
  };
}
