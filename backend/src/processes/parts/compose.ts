import { randomBytes, randomUUID } from 'node:crypto';
import type { Config } from '../../config.ts';
import { type Connection, connectMongo, createIndexes } from '../../db/mongo.ts';
import { connectRedis, type Redis } from '../../db/redis.ts';
import { unavailable } from '../../errors.ts';
import {
  createAccountsService,
  createLinkStore,
  createRemovalStore,
  createSessionStore,
  createUserStore,
  defineLinkModel,
  defineSessionModel,
  defineUserModel,
  dropFormerIndexes,
  mailJob,
  presentUser,
  removalJob,
  type UserRecord,
} from '../../features/accounts/index.ts';
import {
  createConversationStore,
  defineConversationModel,
} from '../../features/conversations/index.ts';
import {
  createReplyStore,
  createTurnStore,
  defineMessageModel,
} from '../../features/messages/index.ts';
import { createFinisher, createReplyLog, replyJob } from '../../features/replies/index.ts';
import {
  createUsageService,
  createUsageStore,
  defineUsageModel,
} from '../../features/usage/index.ts';
import { createProducer } from '../../jobs/producer.ts';
import type { Log } from '../../log.ts';
import { createBus } from '../../realtime/bus.ts';

/** Everything that web and worker share, built by hand in one place. */
export type Deps = Awaited<ReturnType<typeof compose>>;

const now = () => new Date();

/** Calls that were under way when an account was shut have come to their end by then, and store nothing after. */
const REMOVAL_DELAY_MS = 3_000;

/** Connects, defines the models and builds the services on them. */
export async function compose({ config, log }: { config: Config; log: Log }) {
  const onRedisError = (error: Error) => log.warn({ err: error }, 'Redis cannot be reached');
  const [connection, redis] = await Promise.all([
    connectMongo(config.MONGODB_URI),
    connectRedis(config.REDIS_URL, { patience: 'none', onError: onRedisError }),
  ]);
  await refuseEmbedded(config, connection);

  const userModel = defineUserModel(connection);
  const users = createUserStore(userModel);
  const links = createLinkStore(defineLinkModel(connection));
  const sessions = createSessionStore(defineSessionModel(connection));
  const conversations = createConversationStore(defineConversationModel(connection));
  const messageModel = defineMessageModel(connection);
  const turns = createTurnStore(messageModel);
  const replies = createReplyStore(messageModel);
  const usage = createUsageService({ store: createUsageStore(defineUsageModel(connection)) });
  await dropFormerIndexes(userModel);
  await createIndexes(connection);

  const bus = createBus(redis, (error) => log.warn({ err: error }, 'an event was not published'));
  const mails = createProducer(mailJob, redis);
  const removals = createProducer(removalJob, redis);
  const tellAccount = async (user: UserRecord) => {
    const isGuest = user.subscriptionStatus === 'guest';
    const shown = presentUser(user, isGuest ? await usage.allowanceOf(user.id) : undefined);
    await bus.publish(user.id, 'account:changed', shown);
  };
  const tellSessions = (userId: string) => bus.publish(userId, 'sessions:changed', undefined);
  const accounts = createAccountsService({
    users,
    sessions,
    links,
    removals: createRemovalStore(userModel),
    now,
    newId: () => randomBytes(12).toString('hex'),
    onSessionOpened: tellSessions,
    onSessionEnded: async ({ userId, sessionId }) => {
      await bus.endSession(userId, sessionId);
      await tellSessions(userId);
    },
    onChanged: tellAccount,
    requestMail: async (userId, kind) => {
      await mails.add(randomUUID(), { userId, kind }).catch((error: unknown) => {
        throw unavailable(error);
      });
    },
    requestRemoval: async (userId) => {
      await removals
        .add(userId, { userId }, { delayMs: REMOVAL_DELAY_MS })
        .catch((error: unknown) => log.warn({ err: error, userId }, 'an account is removed later'));
    },
  });
  /** Tells a guest's tabs what is left of the demo. */
  const tellAllowance = async (userId: string) => {
    const user = await accounts.find(userId);
    if (user?.subscriptionStatus === 'guest') await tellAccount(user);
  };
  const replyLog = createReplyLog(redis);
  const finisher = createFinisher({
    replies,
    usage,
    replyLog,
    onSettled: tellAllowance,
    now,
    log,
  });
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
    turns,
    replies,
    usage,
    bus,
    replyLog,
    finisher,
    producer,
    /** A connection of one's own that waits for Redis as long as it takes. */
    connectPatiently: (): Promise<Redis> =>
      connectRedis(config.REDIS_URL, { patience: 'endless', onError: onRedisError }),
    disconnect: async () => {
      await Promise.all([producer.close(), mails.close(), removals.close()]);
      redis.disconnect();
      await connection.close();
    },
  };
}

/** The embedded database says what it is; production wants a real one, however it was configured. */
async function refuseEmbedded(config: Config, connection: Connection): Promise<void> {
  if (config.NODE_ENV !== 'production') return;
  const info = await connection.db?.admin().buildInfo();
  if (info?.modules?.includes('stolas-embedded'))
    throw new Error(
      'MONGODB_URI points to the embedded database; production needs a real MongoDB.',
    );
}
