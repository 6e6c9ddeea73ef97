import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseConfig } from '../config.ts';
import {
  createRunner,
  createSweeper,
  replyJob,
  STOP_CHANNEL,
  SWEEP_EVERY_MS,
} from '../features/replies/index.ts';
import { announceWorker } from '../jobs/presence.ts';
import { startWorker } from '../jobs/worker.ts';
import { createOpenAiProvider } from '../llm/index.ts';
import { createLog } from '../log.ts';
import { createSubscriptions } from '../realtime/subscriptions.ts';
import { announceReady, onStop } from './child.ts';
import { compose, type Deps } from './parts/compose.ts';
import { orExplain } from './parts/explain.ts';
import { createGuestRemoval } from './parts/guest-removal.ts';
import { repeat } from './parts/repeat.ts';

const GUEST_REMOVAL_EVERY_MS = 60_000;

async function start(): Promise<void> {
  const config = parseConfig(process.env);
  const log = createLog({ level: config.LOG_LEVEL, name: 'worker' });
  const deps = await compose({ config, log });
  const runner = createRunner({
    ...deps,
    provider: provider(deps),
    maxTokens: config.MAX_REPLY_TOKENS,
    budgetTokens: config.CONTEXT_TOKENS,
    sleep: (ms) => sleep(ms),
  });
  const [subscriber, queueRedis] = await Promise.all([
    deps.connectPatiently(),
    deps.connectPatiently(),
  ]);
  await createSubscriptions(subscriber).listen(STOP_CHANNEL, runner.stop);
  const onError = (error: unknown) => log.warn({ err: error }, 'a job met an error');
  const worker = await startWorker(replyJob, {
    redis: queueRedis,
    concurrency: config.WORKER_CONCURRENCY,
    handle: runner.run,
    onError,
  });
  const stopSweeps = [
    repeat(createSweeper(deps), { everyMs: SWEEP_EVERY_MS, onError }),
    repeat(createGuestRemoval(deps), { everyMs: GUEST_REMOVAL_EVERY_MS, onError }),
  ];
  const leave = await announceWorker(deps.redis, { id: randomUUID(), onError });

  onStop(async () => {
    for (const stop of stopSweeps) stop();
    await leave();
    // What is in hand may finish; what does not in time is handed over, and then the worker closes at once.
    const handOver = setTimeout(runner.handOver, config.DRAIN_SECONDS * 1_000);
    await worker.close();
    clearTimeout(handOver);
    subscriber.disconnect();
    queueRedis.disconnect();
    await deps.disconnect();
  });
  announceReady();
}

const provider = ({ config }: Deps) =>
  createOpenAiProvider({
    baseUrl: config.OPENAI_BASE_URL,
    apiKey: config.OPENAI_API_KEY,
    model: config.OPENAI_MODEL,
    idleMs: config.PROVIDER_IDLE_SECONDS * 1_000,
  });

await orExplain(start());
