import { parseConfig } from '../config.ts';
import type { ErrorPlace } from '../jobs/worker.ts';
import { createLog } from '../log.ts';
import { createMailer } from '../mail/index.ts';
import { announceReady, onStop, orExplain } from './child.ts';
import { compose } from './parts/compose.ts';
import { createErasure, createUserExport, createUserStores } from './parts/features.ts';
import { createModels } from './parts/models.ts';
import { startSweeps } from './parts/sweeps.ts';
import { chooseJobs } from './parts/worker-jobs.ts';

async function start(): Promise<void> {
  const config = parseConfig(process.env);
  const log = createLog({ level: config.LOG_LEVEL, name: 'worker' });
  const { built, userJobs, redis, connectRetrying, disconnect } = await compose({
    config,
    log,
    databaseUse: 'jobs',
  });
  const queueRedis = await connectRetrying();
  const mailer = createMailer({ config, log });
  const tools = {
    mailer,
    ...createModels(config),
    eraseUser: createErasure(built),
    exportUser: createUserExport(built),
    userStores: createUserStores(built),
    userJobs,
  };
  const onJobError = (error: unknown, place: ErrorPlace) =>
    log.warn({ err: error, ...place }, place.jobId ? 'job failed' : 'queue failed');
  const postSteps = built.flatMap((feature) => feature.postSteps(tools));
  const contributors = built.flatMap((feature) => feature.contributors());
  const jobTools = { ...tools, postSteps, contributors };
  const jobs = chooseJobs(
    await Promise.all(
      built.map(async (feature) => [feature.name, await feature.jobs(jobTools)] as const),
    ),
    config.WORKER_JOBS,
  );
  const workers = await Promise.all(
    jobs.map((job) => job.start({ redis: queueRedis, onError: onJobError })),
  );
  const stopSweeps = startSweeps(
    built.flatMap((feature) => feature.sweeps(tools)),
    { redis, onError: (error, sweep) => log.warn({ err: error, sweep }, 'sweep failed') },
  );

  const drainMs = config.DRAIN_SECONDS * 1_000;
  const stop = async () => {
    stopSweeps();
    // Running replies may finish. After the drain time the others are interrupted or released, and the worker closes at once.
    const release = setTimeout(() => {
      for (const job of jobs) job.releaseAll?.();
    }, drainMs);
    await Promise.all(workers.map((worker) => worker.close()));
    clearTimeout(release);
    mailer.close();
    queueRedis.disconnect();
    await disconnect();
  };
  onStop(stop, { withinMs: drainMs });
  announceReady();
}

await orExplain(start());
