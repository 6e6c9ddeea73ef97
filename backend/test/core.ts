import { randomUUID } from 'node:crypto';
import type { Actor } from '../src/access/index.ts';
import { parseConfig } from '../src/config.ts';
import { connectMongo, createIndexes } from '../src/db/mongo.ts';
import { connectRedis } from '../src/db/redis.ts';
import { registerAccount } from '../src/features/accounts/register.ts';
import { authenticate, openSession } from '../src/features/accounts/sessions.ts';
import type { Core } from '../src/features/define-feature.ts';
import type { Services } from '../src/features/list.ts';
import { createLog } from '../src/log.ts';
import { createCore } from '../src/processes/parts/compose.ts';
import { buildFeatures } from '../src/processes/parts/features.ts';
import { atEnd } from './at-end.ts';
import { ownDatabase } from './processes.ts';

/** The core of web and worker with all features, in the test's process. */
export interface TestCore extends Core {
  services: Services;
  /** The published events, also when `overrides` replace the bus. */
  events: { userId: string; event: string; payload: unknown }[];
}

/**
 * All features on a separate database and the real services; `overrides` replace parts of the core, `settings` replace settings. It ends
 * with the test file.
 */
export async function testCore({
  settings = {},
  overrides = {},
}: {
  settings?: Record<string, string>;
  overrides?: Partial<Core>;
} = {}): Promise<TestCore> {
  const config = parseConfig({ ...process.env, MONGODB_URI: ownDatabase(), ...settings });
  const [connection, redis] = await Promise.all([
    connectMongo(config.MONGODB_URI),
    connectRedis(config.REDIS_URL, { retry: 'never', onError: () => undefined }),
  ]);
  const log = createLog({ level: 'silent', name: 'test' });
  const now = overrides.now ?? (() => new Date());
  const { core, producers } = createCore({ config, log, connection, redis, now });
  atEnd(async () => {
    await Promise.all(producers.map((producer) => producer.close()));
    core.channels.close();
    redis.disconnect();
    await connection.close();
  });
  const events: TestCore['events'] = [];
  const { bus = core.bus } = overrides;
  const used: Core = {
    ...core,
    ...overrides,
    bus: {
      ...bus,
      publish: async (userId, event, payload) => {
        events.push({ userId, event, payload });
        await bus.publish(userId, event, payload);
      },
    },
  };
  const { services } = buildFeatures(used);
  await createIndexes(connection);
  return { ...used, services, events };
}

/** A new user, signed in: a registered one, with a plan or without, or a guest. */
export async function aUser(
  { services, connection, now }: Pick<TestCore, 'services' | 'connection' | 'now'>,
  {
    guest = false,
    email = `${randomUUID()}@example.com`,
    plan,
  }: { guest?: boolean; email?: string; plan?: 'starter' | 'pro' } = {},
): Promise<Actor> {
  const { accounts } = services;
  const fields = { email, password: 'a long enough password', firstName: 'Ada', lastName: '' };
  const user = guest
    ? await accounts.users.createGuest(accounts.now())
    : await registerAccount(accounts, fields);
  const actor = await authenticate(
    accounts,
    await openSession(accounts, user, { userAgent: 'test' }),
  );
  if (!actor) throw new Error('The new user is not signed in.');
  if (plan) {
    const ownerId = connection.base.Types.ObjectId.createFromHexString(actor.userId);
    const subscription = { ownerId, plan, status: 'active', startedAt: now() };
    await connection.collection('subscriptions').insertOne(subscription);
  }
  return actor;
}

/** An empty conversation of `actor`. */
export const aConversation = (
  { services, now }: Pick<TestCore, 'services' | 'now'>,
  actor: Pick<Actor, 'userId'>,
  { title = 'A talk', temporary = false, at = now() } = {},
) => services.chat.conversations.insert({ ownerId: actor.userId, title, temporary, now: at });
