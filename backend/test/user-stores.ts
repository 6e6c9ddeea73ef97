import { randomBytes } from 'node:crypto';
import { type Mongoose, Types } from 'mongoose';
import { parseConfig } from '../src/config.ts';
import { connectMongo } from '../src/db/mongo.ts';
import { mailJob } from '../src/features/accounts/jobs.ts';
import { logKey } from '../src/features/chat/generation/log.ts';
import { features } from '../src/features/list.ts';
import { createLog } from '../src/log.ts';
import { compose } from '../src/processes/parts/compose.ts';
import { createUserStores } from '../src/processes/parts/features.ts';
import { startPayments } from './payments.ts';
import { ownDatabase } from './processes.ts';

const unguessable = () => randomBytes(24).toString('hex');

/** The required fields of a document besides its owner. */
const fieldsOf = (model: string): object => {
  if (model === 'users') return { deletingAt: new Date() };
  if (model === 'messages') return { role: 'assistant', status: 'complete' };
  if (model === 'memberships') return { workspaceId: new Types.ObjectId() };
  if (model === 'invitations') return { workspaceId: new Types.ObjectId(), email: unguessable() };
  return model === 'subscriptions' ? { customerIds: [`cus_${unguessable()}`] } : {};
};

/** The collection and the owner field of each model with an owner. */
async function ownedCollections() {
  const connection = await connectMongo(ownDatabase());
  const owned = features.flatMap((feature) => {
    const models = feature.models(connection) as Mongoose['models'];
    return Object.entries(feature.owners).flatMap(([name, owner]) => {
      if (owner === null) return [];
      const field = typeof owner === 'string' ? owner : owner.field;
      return [{ name, field, collection: models[name]?.collection.name ?? '' }];
    });
  });
  await connection.close();
  return owned;
}

/** The product in this process, and accounts with data in every store of every feature. */
export async function openUserStores() {
  const { env } = await startPayments();
  const config = parseConfig({ ...process.env, ...env, MONGODB_URI: ownDatabase() });
  const product = await compose({
    databaseUse: 'jobs',
    config,
    log: createLog({ level: 'silent', name: 'test' }),
  });
  const mails = product.produce(mailJob);
  const owned = await ownedCollections();

  return {
    product,

    /** Stores a document of each model with an owner, an object, a reply log, a place in each fair queue and a waiting job. */
    fill: async (account: string, { except = [] }: { except?: string[] } = {}): Promise<void> => {
      const { connection, objects, redis, services } = product;
      const ownerId = new Types.ObjectId(account);
      for (const { name, field, collection } of owned) {
        if (except.includes(name)) continue;
        const unique = { key: unguessable(), tokenHash: unguessable() };
        await connection
          .collection(collection)
          .insertOne({ ...unique, [field]: ownerId, ...fieldsOf(name) });
      }
      await objects.write(`users/${account}/files/a`, Buffer.from('a'), { type: 'text/plain' });
      const reply = await connection.collection('messages').findOne({ ownerId });
      const logged = { id: String(reply?._id), conversationId: String(reply?.conversationId) };
      await redis.xadd(logKey(logged), '*', 'event', 'a');
      // Of a former number of queues.
      await services.chat.replyQueues.at(5).fairQueue.enter({ group: 'pro', member: account });
      const { readingLanes, recognitionLane } = services.files;
      await readingLanes.users.fairQueue.enter({ group: 'files', member: account });
      await recognitionLane.fairQueue.enter({ group: 'users', member: account });
      const mail = { userId: account, kind: 'confirm' } as const;
      await mails.add(unguessable(), mail, { delayMs: 3_600_000 });
    },

    /** The remaining data of an account: documents by collection, objects, keys and jobs. */
    left: async (account: string): Promise<Record<string, number>> => {
      const counts: Record<string, number> = { jobs: await product.userJobs.count(account) };
      for (const { name, count } of createUserStores(product.built))
        counts[name] = (counts[name] ?? 0) + (await count(account));
      return counts;
    },
  };
}
