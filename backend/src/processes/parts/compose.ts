import type { Config } from '../../config.ts';
import { migrate } from '../../db/migrate.ts';
import { type Connection, connectMongo, createIndexes, isStandalone } from '../../db/mongo.ts';
import { connectRedis, type Redis } from '../../db/redis.ts';
import {
  accountsMigrations,
  createUserStore,
  defineLinkModel,
  defineSessionModel,
  defineUserModel,
} from '../../features/accounts/index.ts';
import {
  billingMigrations,
  createBillingService,
  createSubscriptionStore,
  defineSubscriptionModel,
} from '../../features/billing/index.ts';
import {
  createConversationStore,
  defineConversationModel,
} from '../../features/chat/conversations/index.ts';
import {
  createFinisher,
  createReplyLog,
  createReplyStore,
  replyJob,
} from '../../features/chat/generation/index.ts';
import {
  createMessageTree,
  createSendCompletion,
  createSendStore,
  defineMessageModel,
  formerRepliesMigration,
  messageTreeMigration,
} from '../../features/chat/messages/index.ts';
import { usageMigrations } from '../../features/usage/index.ts';
import { createProducer } from '../../jobs/producer.ts';
import type { Log } from '../../log.ts';
import { createBus } from '../../realtime/bus.ts';
import { composeAccounts } from './accounts.ts';
import { composeUsage } from './usage.ts';

/** Everything that web and worker share, built by hand in one place. */
export type Deps = Awaited<ReturnType<typeof compose>>;

const now = () => new Date();

/** Connects, defines the models and builds the services on them. */
export async function compose({ config, log }: { config: Config; log: Log }) {
  const onRedisError = (error: Error) => log.warn({ err: error }, 'Redis cannot be reached');
  const [connection, redis] = await Promise.all([
    connectMongo(config.MONGODB_URI),
    connectRedis(config.REDIS_URL, { patience: 'none', onError: onRedisError }),
  ]);
  await checkDatabase(config, connection, log);

  const models = {
    users: defineUserModel(connection),
    sessions: defineSessionModel(connection),
    links: defineLinkModel(connection),
  };
  const conversations = createConversationStore(defineConversationModel(connection));
  const messageModel = defineMessageModel(connection);
  const messages = createMessageTree(messageModel);
  const sends = createSendStore(messageModel);
  const replies = createReplyStore(messageModel);
  const users = createUserStore(models.users);
  const billing = createBillingService({
    subscriptions: createSubscriptionStore(defineSubscriptionModel(connection)),
    findAccount: users.find,
    now,
  });
  const { usage, sweepUsage } = composeUsage({ connection, config, billing, now, messageModel });
  await migrate(connection, [
    messageTreeMigration,
    formerRepliesMigration,
    ...accountsMigrations,
    ...billingMigrations,
    ...usageMigrations,
  ]);
  await createIndexes(connection);

  const bus = createBus(redis, (error) => log.warn({ err: error }, 'an event was not published'));
  const { accounts, links, planOf, tellAllowance, close } = composeAccounts({
    models,
    users,
    redis,
    billing,
    usage,
    bus,
    now,
    log,
  });
  const replyLog = createReplyLog(redis);
  const finisher = createFinisher({
    replies,
    usage,
    replyLog,
    bus,
    onSettled: tellAllowance,
    now,
    log,
  });
  const completeSend = createSendCompletion({ sends, conversations, bus });
  const producer = createProducer(replyJob, redis);

  return {
    config,
    log,
    now,
    connection,
    redis,
    accounts,
    users,
    links,
    conversations,
    messages,
    sends,
    completeSend,
    replies,
    billing,
    planOf,
    usage,
    sweepUsage,
    bus,
    replyLog,
    finisher,
    producer,
    limits: { contextTokens: config.CONTEXT_TOKENS, maxReplyTokens: config.MAX_REPLY_TOKENS },
    /** A connection of one's own that waits for Redis as long as it takes. */
    connectPatiently: (): Promise<Redis> =>
      connectRedis(config.REDIS_URL, { patience: 'endless', onError: onRedisError }),
    disconnect: async () => {
      await Promise.all([producer.close(), close()]);
      redis.disconnect();
      await connection.close();
    },
  };
}

/** The embedded database names itself; production refuses it, however it was configured. */
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
