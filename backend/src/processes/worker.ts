import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseConfig, publicUrl } from '../config.ts';
import {
  createAccountMails,
  createLinks,
  createMailQuota,
  mailJob,
  removalJob,
} from '../features/accounts/index.ts';
import {
  createRunner,
  createSweeper,
  replyJob,
  STOP_CHANNEL,
  SWEEP_EVERY_MS,
} from '../features/chat/generation/index.ts';
import { USAGE_SWEEP_EVERY_MS } from '../features/usage/index.ts';
import { announceWorker } from '../jobs/presence.ts';
import { startWorker } from '../jobs/worker.ts';
import { createOpenAiProvider } from '../llm/index.ts';
import { createLog } from '../log.ts';
import { createMailer, type Mailer } from '../mail/index.ts';
import { createS3ObjectStore } from '../objects/index.ts';
import { createPaymentGateway } from '../payments/index.ts';
import { createSubscriptions } from '../realtime/subscriptions.ts';
import { createSecurityLog } from '../security-log.ts';
import { announceReady, onStop } from './child.ts';
import { createAccountRemoval } from './parts/account-removal.ts';
import { compose, type Deps } from './parts/compose.ts';
import { orExplain } from './parts/explain.ts';
import { repeat } from './parts/repeat.ts';

const REMOVAL_EVERY_MS = 60_000;

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
  const mailer = createMailer({ config, log });
  const removal = accountRemoval(deps);
  const background = { redis: queueRedis, onError };
  const workers = await Promise.all([
    startWorker(replyJob, {
      redis: queueRedis,
      concurrency: config.WORKER_CONCURRENCY,
      handle: runner.run,
      onError,
    }),
    startWorker(mailJob, { ...background, handle: accountMails(deps, mailer).send }),
    startWorker(removalJob, { ...background, handle: removal.remove }),
  ]);
  const stopSweeps = [
    repeat(createSweeper(deps), { everyMs: SWEEP_EVERY_MS, onError }),
    repeat(deps.sweepUsage, { everyMs: USAGE_SWEEP_EVERY_MS, onError }),
    repeat(removal.sweep, { everyMs: REMOVAL_EVERY_MS, onError }),
  ];
  const leave = await announceWorker(deps.redis, { id: randomUUID(), onError });

  onStop(async () => {
    for (const stop of stopSweeps) stop();
    await leave();
    // Running replies may finish. After the drain time the rest is interrupted or released, and the worker closes at
    // once.
    const handOver = setTimeout(runner.handOver, config.DRAIN_SECONDS * 1_000);
    await Promise.all(workers.map((worker) => worker.close()));
    clearTimeout(handOver);
    mailer.close();
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

const accountMails = ({ config, users, links, redis, now }: Deps, mailer: Mailer) =>
  createAccountMails({
    users,
    links: createLinks({ links, now }),
    mailer,
    quota: createMailQuota({
      redis,
      securityLog: createSecurityLog({ level: config.LOG_LEVEL }),
      enabled: config.RATE_LIMITS,
    }),
    baseUrl: publicUrl(config),
  });

const accountRemoval = (deps: Deps) => {
  const { config } = deps;
  return createAccountRemoval({
    deps,
    objects: createS3ObjectStore({
      endpoint: config.S3_ENDPOINT,
      region: config.S3_REGION,
      bucket: config.S3_BUCKET,
      accessKeyId: config.S3_ACCESS_KEY_ID,
      secretAccessKey: config.S3_SECRET_ACCESS_KEY,
    }),
    payments: createPaymentGateway({ config }),
  });
};

await orExplain(start());
