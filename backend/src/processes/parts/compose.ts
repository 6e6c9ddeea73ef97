import type { Config } from '../../config.ts';
import { type Connection, connectMongo, type DatabaseUse, isStandalone } from '../../db/mongo.ts';
import { connectRedis, type Redis } from '../../db/redis.ts';
import type { Core } from '../../features/define-feature.ts';
import { features } from '../../features/list.ts';
import { createProducer, type JobProducer } from '../../jobs/producer.ts';
import { createOpenAiEmbedder } from '../../llm/index.ts';
import type { Log } from '../../log.ts';
import { createS3ObjectStore } from '../../objects/index.ts';
import { createPaymentGateway } from '../../payments/index.ts';
import { checkLanguages, createFileReader } from '../../reading/index.ts';
import { createBus } from '../../realtime/bus.ts';
import { createChannels } from '../../realtime/channels.ts';
import { createSecurityLog } from '../../security-log.ts';
import { buildFeatures } from './features.ts';
import { repeat } from './repeat.ts';
import { announceProcess, updateDatabase } from './update-database.ts';

/** Connects, builds the features and migrates the database: the common part of web and worker. */
export async function compose({
  config,
  log,
  databaseUse,
}: {
  config: Config;
  log: Log;
  databaseUse: DatabaseUse;
}) {
  if (config.OCR) checkLanguages(config.OCR_LANGUAGES);
  const onRedisError = (error: Error) => log.warn({ err: error }, 'Redis unreachable');
  const [connection, redis] = await Promise.all([
    connectMongo(config.MONGODB_URI, databaseUse),
    connectRedis(config, { retry: 'never', onError: onRedisError }),
  ]);
  await checkDatabase(config, connection, log);

  const now = () => new Date();
  const { core, producers } = createCore({ config, log, connection, redis, now });
  const { services, built } = buildFeatures(core);
  const stopAnnouncing = await keepUpToDate(config, connection, log);

  return {
    ...core,
    services,
    built,
    retention: features.flatMap(({ retention }) => retention),
    /** A separate connection that waits for Redis without a limit. */
    connectRetrying: (): Promise<Redis> =>
      connectRedis(config, { retry: 'always', onError: onRedisError }),
    userJobs: {
      count: async (userId: string) => {
        const counts = await Promise.all(producers.map((producer) => producer.countOf(userId)));
        return counts.reduce((sum, count) => sum + count, 0);
      },
      remove: async (userId: string) => {
        await Promise.all(producers.map((producer) => producer.removeAllOf(userId)));
      },
    },
    disconnect: async () => {
      stopAnnouncing();
      await Promise.all(producers.map((producer) => producer.close()));
      core.channels.close();
      redis.disconnect();
      await connection.close();
    },
  };
}

/** The core of a process, on connections and producers that the caller opens and closes. */
export function createCore({ config, log, connection, redis, now }: Base) {
  const producers: Pick<JobProducer<never>, 'close' | 'countOf' | 'removeAllOf'>[] = [];
  const channels = createChannels(redis);
  const core: Core = {
    config,
    log,
    securityLog: createSecurityLog({ level: config.LOG_LEVEL }),
    now,
    connection,
    redis,
    payments: createPaymentGateway(config, now),
    objects: objects(config),
    reader: createFileReader({
      languages: config.OCR_LANGUAGES,
      concurrency: config.FILE_READERS,
    }),
    embedder: embedder(config),
    channels,
    bus: createBus(channels, (error) => log.warn({ err: error }, 'event not published')),
    produce: (definition) => {
      const producer = createProducer(definition, redis);
      producers.push(producer);
      return producer;
    },
  };
  return { core, producers };
}

type Base = Pick<Core, 'config' | 'log' | 'connection' | 'redis' | 'now'>;

const objects = (config: Config) =>
  createS3ObjectStore({
    endpoint: config.S3_ENDPOINT,
    publicEndpoint: config.S3_PUBLIC_ENDPOINT,
    region: config.S3_REGION,
    bucket: config.S3_BUCKET,
    accessKeyId: config.S3_ACCESS_KEY_ID,
    secretAccessKey: config.S3_SECRET_ACCESS_KEY,
    ...(config.S3_STS_ENDPOINT && {
      sts: { endpoint: config.S3_STS_ENDPOINT, roleArn: config.S3_STS_ROLE_ARN },
    }),
  });

/** The key of the model provider is sent to no other server. */
const embedder = ({ EMBEDDING_MODEL: model, ...config }: Config) =>
  model === undefined
    ? null
    : createOpenAiEmbedder({
        model,
        ...(config.EMBEDDING_BASE_URL
          ? { baseUrl: config.EMBEDDING_BASE_URL, apiKey: config.EMBEDDING_API_KEY }
          : { baseUrl: config.OPENAI_BASE_URL, apiKey: config.OPENAI_API_KEY }),
      });

/** The result of `compose`. */
export type Composed = Awaited<ReturnType<typeof compose>>;

const ANNOUNCE_EVERY_MS = 60_000;

/**
 * Updates the database, and announces this process from now on. Migrations that wait for the end of older processes run within a minute of it.
 * @returns a function that ends the announcements
 */
async function keepUpToDate(config: Config, connection: Connection, log: Log): Promise<() => void> {
  let deferred = await updateDatabase(config.MONGODB_URI);
  if (deferred.length > 0) log.info({ deferred }, 'migrations wait for older processes to end');
  const announce = async () => {
    await announceProcess(connection);
    if (deferred.length > 0) deferred = await updateDatabase(config.MONGODB_URI);
  };
  return repeat(announce, {
    everyMs: ANNOUNCE_EVERY_MS,
    onError: (error) => log.warn({ err: error }, 'process not announced'),
  });
}

/** The embedded database identifies itself; production refuses it with any configuration. */
async function checkDatabase(config: Config, connection: Connection, log: Log): Promise<void> {
  if (config.NODE_ENV !== 'production') return;
  const info = await connection.db?.admin().buildInfo();
  if (info?.modules?.includes('stolas-embedded'))
    throw new Error(
      'MONGODB_URI points to the embedded database; production needs a real MongoDB.',
    );
  if (await isStandalone(connection))
    log.warn('MONGODB_URI points to a standalone server; acknowledged writes are lost with it');
}
