import { randomBytes } from 'node:crypto';
import { type Mongoose, Types } from 'mongoose';
import { beforeAll, describe, expect, it } from 'vitest';
import { parseConfig } from '../src/config.ts';
import { DELETION_STORES } from '../src/contract/deletion.ts';
import { connectMongo } from '../src/db/mongo.ts';
import { type MailJob, mailJob } from '../src/features/accounts/jobs.ts';
import { features } from '../src/features/list.ts';
import { createDeleting, createDeletionSweep } from '../src/features/privacy/deletion/deleting.ts';
import { createReceiptStore } from '../src/features/privacy/deletion/receipt-model.ts';
import { RunLaterError } from '../src/jobs/define-job.ts';
import type { JobProducer } from '../src/jobs/producer.ts';
import { createLog } from '../src/log.ts';
import { type Composed, compose } from '../src/processes/parts/compose.ts';
import { createErasure, createUserStores } from '../src/processes/parts/features.ts';
import { ownDatabase } from './processes.ts';

let product: Composed;
let owned: Awaited<ReturnType<typeof ownedCollections>>;
let mails: JobProducer<MailJob>;
/** How many writes may still happen before the process dies. */
let writesLeft = Number.POSITIVE_INFINITY;

class DeathError extends Error {
  override name = 'DeathError';
}

/** Lets `target` die at the write that `writesLeft` names: some of these calls happen after it, none before. */
function mortal<T extends object>(target: T, names: readonly (keyof T & string)[]): void {
  for (const name of names) {
    const call = target[name] as (...parameters: unknown[]) => unknown;
    Object.assign(target, {
      [name]: (...parameters: unknown[]) => {
        if (writesLeft <= 0)
          return Promise.reject(new DeathError(`The process died before ${name}.`));
        writesLeft -= 1;
        return call.apply(target, parameters);
      },
    });
  }
}

const WRITES = ['updateOne', 'updateMany', 'deleteOne', 'deleteMany', 'findOneAndUpdate'] as const;

beforeAll(async () => {
  const config = parseConfig({ ...process.env, MONGODB_URI: ownDatabase() });
  product = await compose({ config, log: createLog({ level: 'silent', name: 'test' }) });
  mails = product.produce(mailJob);
  owned = await ownedCollections();
  for (const model of Object.values(product.connection.models))
    mortal(model.collection, WRITES as never);
  mortal(product.objects, ['removeAll']);
  mortal(product.redis, ['unlink', 'zrem', 'publish']);
  mortal(product.payments, ['removeCustomer']);
  return () => product.disconnect();
});

/** The id of an account. */
type Account = string;
const newAccount = () => new Types.ObjectId().toHexString();
const unguessable = () => randomBytes(24).toString('hex');

/** What a document needs besides its owner. */
const fieldsOf = (model: string): object => {
  if (model === 'users') return { deletingAt: new Date() };
  if (model === 'messages') return { role: 'assistant', status: 'complete' };
  return model === 'subscriptions' ? { customerIds: [`cus_${unguessable()}`] } : {};
};

/** The collection and the owner field of each model that has an owner. */
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

/** A document of each model that has an owner, an object, a reply log, a place in the queue and a job that waits. */
async function fill(account: Account): Promise<void> {
  const { connection, objects, redis, services } = product;
  const ownerId = new Types.ObjectId(account);
  for (const { name, field, collection } of owned) {
    const unique = { key: unguessable(), tokenHash: unguessable() };
    await connection
      .collection(collection)
      .insertOne({ ...unique, [field]: ownerId, ...fieldsOf(name) });
  }
  await objects.write(`users/${account}/files/a`, Buffer.from('a'), { type: 'text/plain' });
  const reply = await connection.collection('messages').findOne({ ownerId });
  await redis.xadd(`reply:${String(reply?._id)}`, '*', 'delta', 'a');
  await services.chat.fairQueue.enter({ group: 'pro', member: account });
  const mail = { userId: account, kind: 'confirm' } as const;
  await mails.add(unguessable(), mail, { delayMs: 3_600_000 });
}

/** The worker's deletion, on new instances as after a restart. */
function worker(eraseUser = createErasure(product.built)) {
  const { built, connection, services, userJobs } = product;
  const receipts = createReceiptStore(connection.models.DeletionReceipt as never);
  const isOpen = async (id: string) => (await services.accounts.find(id)) !== null;
  const deps = { receipts, userJobs, eraseUser, isOpen, now: () => new Date() };
  return { ...deps, ...createDeleting({ ...deps, userStores: createUserStores(built) }) };
}

const begin = (account: Account) => product.services.privacy.requestDeletion(account);
const run = (receiptId: string) => worker().run({ receiptId });
const receiptOf = (id: string) => product.services.privacy.receipt(id);

/** What is there of an account: documents by collection, objects, keys and jobs. */
async function left(account: Account): Promise<Record<string, number>> {
  const counts: Record<string, number> = { jobs: await product.userJobs.count(account) };
  for (const { name, count } of createUserStores(product.built))
    counts[name] = (counts[name] ?? 0) + (await count(account));
  return counts;
}

describe('erasing an account', () => {
  it('is finished by the next pass, wherever the process died, and touches nobody else', async () => {
    const bystander = newAccount();
    await fill(bystander);
    const theirs = await left(bystander);
    // Every store has something, or the test would prove nothing of it.
    expect(Object.keys(theirs).toSorted()).toEqual([...DELETION_STORES].toSorted());
    expect(Object.values(theirs)).not.toContain(0);

    let cuts = 0;
    for (let writes = 0; ; writes += 1) {
      const account = newAccount();
      await fill(account);
      const receiptId = await begin(account);
      writesLeft = writes;
      const cut = await run(receiptId).catch((error: unknown) => error);
      writesLeft = Number.POSITIVE_INFINITY;
      const died = cut instanceof DeathError;
      const again = died ? await run(receiptId).catch((error: unknown) => error) : cut;
      expect(again).toBeInstanceOf(RunLaterError);
      await waitsForUploads(receiptId);
      await product.connection
        .collection('uploads')
        .deleteMany({ ownerId: new Types.ObjectId(account) });
      await run(receiptId);

      const { state, stores } = await receiptOf(receiptId);
      expect(state, `${writes} writes`).toBe('done');
      expect(stores.map((one) => one.left)).toEqual(DELETION_STORES.map(() => 0));
      const hidden = stores.filter(({ found }) => found === 0);
      expect(hidden, `${writes} writes`).toEqual([]);
      expect(new Set(Object.values(await left(account)))).toEqual(new Set([0]));
      if (!died) break;
      cuts += 1;
    }
    expect(cuts).toBeGreaterThan(20);
    expect(await left(bystander)).toEqual(theirs);
  }, 240_000);

  it('is not begun for an account that is open', async () => {
    const { accounts } = product.services;
    const { id } = await accounts.createGuest();
    await run(await begin(id));
    expect(await accounts.find(id)).not.toBeNull();
  });

  it('is one deletion, however often it is requested at once, and is found when its job is lost', async () => {
    const account = newAccount();
    const ids = await Promise.all([begin(account), begin(account), begin(account)]);
    expect(new Set(ids).size).toBe(1);
    const [receiptId] = ids;
    const added: string[] = [];
    const producer = {
      add: async (id: string) => void added.push(id),
      canRun: async () => false,
    };
    const { receipts } = worker();
    const sweepAt = (ms: number) =>
      createDeletionSweep({ receipts, producer, now: () => new Date(Date.now() + ms) })();
    await sweepAt(0);
    expect(added).not.toContain(receiptId);
    await sweepAt(5 * 60_000);
    expect(added).toContain(receiptId);
  });

  it('that finds something written late erases it too', async () => {
    const account = newAccount();
    const receiptId = await begin(account);
    const { eraseUser } = worker();
    const late = `users/${account}/files/late`;
    const erase = async (userId: string) => {
      await eraseUser(userId);
      await product.objects.write(late, Buffer.from('late'), { type: 'text/plain' });
    };
    await expect(worker(erase).run({ receiptId })).rejects.toBeInstanceOf(RunLaterError);
    const { state, stores } = await receiptOf(receiptId);
    expect([state, stores.find(({ store }) => store === 'objects')?.left]).toEqual(['running', 1]);
    await run(receiptId);
    expect((await receiptOf(receiptId)).state).toBe('done');
    expect(await product.objects.head(late)).toBeNull();
  });
});

/** Addresses for uploads outlive the account. */
async function waitsForUploads(receiptId: string): Promise<void> {
  const { state, stores } = await receiptOf(receiptId);
  const there = stores.filter((one) => one.left !== 0);
  expect([state, there.map(({ store }) => store)]).toEqual(['running', ['files']]);
}
