import { Types } from 'mongoose';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { DELETION_STORES } from '../src/contract/privacy.ts';
import { features } from '../src/features/list.ts';
import { deletionRunner } from '../src/features/privacy/deletion/deleting.ts';
import { createReceiptStore } from '../src/features/privacy/deletion/receipt-model.ts';
import { readReceipt } from '../src/features/privacy/deletion/receipts.ts';
import { deletionJob } from '../src/features/privacy/feature.ts';
import { RunLaterError } from '../src/jobs/define-job.ts';
import { createTaskQueue, createTaskSweep } from '../src/jobs/durable.ts';
import { createLog } from '../src/log.ts';
import { createErasure, createUserStores } from '../src/processes/parts/features.ts';
import { openUserStores } from './user-stores.ts';

type UserStores = Awaited<ReturnType<typeof openUserStores>>;

let product: UserStores['product'];
let fill: UserStores['fill'];
let left: UserStores['left'];
/** The number of writes before the process crashes. */
let writesLeft = Number.POSITIVE_INFINITY;

class DeathError extends Error {
  override name = 'DeathError';
}

/** Crashes `target` at the write number `writesLeft`: this one may still happen, later ones do not. Each counts as `share` of a write. */
function mortal<T extends object>(
  target: T,
  names: readonly (keyof T & string)[],
  share = 1,
): void {
  for (const name of names) {
    const call = target[name] as (...parameters: unknown[]) => unknown;
    Object.assign(target, {
      [name]: (...parameters: unknown[]) => {
        // Every whole write is a cut of its own, also after those that count less.
        const left = Math.floor(writesLeft / share) * share;
        if (left <= 0) return Promise.reject(new DeathError(`The process died before ${name}.`));
        writesLeft = left - share;
        return call.apply(target, parameters);
      },
    });
  }
}

const WRITES = ['updateOne', 'updateMany', 'deleteOne', 'deleteMany', 'findOneAndUpdate'] as const;

beforeAll(async () => {
  ({ product, fill, left } = await openUserStores());
  for (const model of Object.values(product.connection.models))
    mortal(model.collection, WRITES as never);
  mortal(product.objects, ['removeAll']);
  mortal(product.redis, ['unlink', 'publish']);
  // A user leaves all reply queues at once, with 192 of these; a few cuts among them are enough.
  mortal(product.redis, ['zrem'], 1 / 16);
  mortal(product.payments, ['removeCustomer']);
  return () => product.disconnect();
});

/** The id of an account. */
type Account = string;
const newAccount = () => new Types.ObjectId().toHexString();

const log = createLog({ level: 'silent', name: 'test' });
const noJobs = {
  add: async (_id: string) => undefined,
  canRun: async () => false,
  remove: async (_id: string) => undefined,
};
const queueOf = (producer: typeof noJobs) =>
  createTaskQueue(deletionJob, { producer, idOf: ({ receiptId }) => receiptId, log });
const deletionQueue = queueOf(noJobs);

/** The worker's deletion, on new instances as after a restart. */
function worker({
  eraseUser = createErasure(product.built),
  userJobs = product.userJobs,
  laterMs = LATE_WRITES_MS,
} = {}) {
  const { built, connection, services } = product;
  const receipts = createReceiptStore(connection.models.DeletionReceipt as never);
  const now = () => new Date(Date.now() + laterMs);
  const sleep = async () => undefined;
  const privacy = { receipts, deletionQueue, others: services, now, log };
  const tools = { userJobs, eraseUser, userStores: createUserStores(built), sleep };
  return { receipts, eraseUser, ...deletionRunner(privacy, tools) };
}

/** A deletion is not done before this time, so that late writes are erased too. */
const LATE_WRITES_MS = 60_000;
const begin = (account: Account) => product.services.privacy.requestDeletion(account);
const run = (receiptId: string, laterMs = LATE_WRITES_MS) => worker({ laterMs }).run({ receiptId });
/** After the lease of a crashed worker has ended. */
const AFTER_LEASE_MS = LATE_WRITES_MS + 60_000;
const receiptOf = (id: string) => readReceipt(product.services.privacy, id);

describe('erasing an account', () => {
  it('is finished by the next attempt, wherever the process crashed, and changes no other user', async () => {
    const bystander = newAccount();
    await fill(bystander);
    const theirs = await left(bystander);
    // Every store has data, or the test would not cover it.
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
      const next = () => run(receiptId, AFTER_LEASE_MS).catch((error: unknown) => error);
      const again = died ? await next() : cut;
      expect(again).toBeInstanceOf(RunLaterError);
      await waitsForUploads(receiptId);
      await product.connection
        .collection('uploads')
        .deleteMany({ ownerId: new Types.ObjectId(account) });
      await run(receiptId, AFTER_LEASE_MS);

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
  });

  it('is not begun for an account that is open', async () => {
    const { accounts } = product.services;
    const { id } = await accounts.users.createGuest(accounts.now());
    await expect(run(await begin(id))).rejects.toBeInstanceOf(RunLaterError);
    expect(await accounts.find(id)).not.toBeNull();
  });

  it('is one deletion for any number of concurrent requests, and is found when its job is lost', async () => {
    const account = newAccount();
    const ids = await Promise.all([begin(account), begin(account), begin(account)]);
    expect(new Set(ids).size).toBe(1);
    const [receiptId] = ids;
    const added: string[] = [];
    // A job that cannot run blocks a new one until it is removed.
    const removed = new Set<string>();
    const producer = {
      add: async (id: string) => void (removed.has(id) && added.push(id)),
      canRun: async () => false,
      remove: async (id: string) => void removed.add(id),
    };
    const { receipts } = worker();
    const sweepAt = (ms: number) =>
      createTaskSweep({
        tasks: receipts.tasks,
        queue: queueOf(producer),
        now: () => new Date(Date.now() + ms),
      })();
    await sweepAt(0);
    expect(added).not.toContain(receiptId);
    await sweepAt(5 * 60_000);
    expect(added).toContain(receiptId);
  });

  it('is not done before an attempt that began 60 s after its request, which erases late writes', async () => {
    const account = newAccount();
    const receiptId = await begin(account);
    const late = `users/${account}/files/late`;
    const passAfter = (laterMs: number) =>
      worker({ laterMs })
        .run({ receiptId })
        .catch((error: unknown) => error);
    for (const laterMs of [3_000, LATE_WRITES_MS - 5_000]) {
      const again = await passAfter(laterMs);
      expect(again).toBeInstanceOf(RunLaterError);
      // The next attempt is the last one, unless it finds more data.
      const { delayMs } = again as RunLaterError;
      expect(delayMs + laterMs).toBeLessThanOrEqual(LATE_WRITES_MS);
      const { state, stores } = await receiptOf(receiptId);
      expect([state, new Set(stores.map(({ left }) => left))]).toEqual(['running', new Set([0])]);
    }
    // A request that was suspended with its process.
    await product.objects.write(late, Buffer.from('late'), { type: 'text/plain' });
    expect(await passAfter(LATE_WRITES_MS)).toBeUndefined();
    const { state, stores } = await receiptOf(receiptId);
    expect([state, stores.find(({ store }) => store === 'objects')]).toMatchObject([
      'done',
      { found: 1, left: 0 },
    ]);
    expect(await product.objects.head(late)).toBeNull();
  });

  it('erases when no job waits any more: one could write after its store was erased', async () => {
    const account = newAccount();
    await fill(account);
    const receiptId = await begin(account);
    const erase = createErasure(product.built);
    const waiting: number[] = [];
    const eraseUser = async (userId: string) => {
      waiting.push(await product.userJobs.count(userId));
      await erase(userId);
    };
    await worker({ eraseUser })
      .run({ receiptId })
      .catch(() => undefined);
    expect(waiting).toEqual([0]);
  });

  it('is done by each feature before those that it uses, the account last', async () => {
    const order: string[] = [];
    const built = product.built.map((feature, at) => ({
      ...feature,
      eraseUser: async () => void order.push(features[at]?.name ?? ''),
    }));
    await createErasure(built)(newAccount());
    expect(order.at(-1)).toBe('accounts');
    expect(order.indexOf('chat')).toBeLessThan(order.indexOf('files'));
    expect(order.indexOf('files')).toBeLessThan(order.indexOf('usage'));
  });

  it('removes messages before their search entries: an indexer would write them again', async () => {
    const account = newAccount();
    await fill(account);
    const { search } = product.services.chat;
    const ownerId = new Types.ObjectId(account);
    const messages: number[] = [];
    const { remove } = search;
    vi.spyOn(search, 'remove').mockImplementation(async (scope) => {
      messages.push(await product.connection.collection('messages').countDocuments({ ownerId }));
      await remove(scope);
    });
    await createErasure(product.built)(account);
    expect(messages).toEqual([0]);
  });

  it('is not done by a count whose jobs ended after the stores were counted', async () => {
    const account = newAccount();
    const receiptId = await begin(account);
    const late = `users/${account}/files/late`;
    let counts = 0;
    const userJobs = {
      ...product.userJobs,
      count: async () => {
        counts += 1;
        // The last write of a job, which then ends.
        if (counts === 2) await product.objects.write(late, Buffer.from('late'), { type: 'a/b' });
        return 0;
      },
    };
    await expect(worker({ userJobs }).run({ receiptId })).rejects.toBeInstanceOf(RunLaterError);
    expect((await receiptOf(receiptId)).state).toBe('running');
  });

  it('that finds late writes also erases them', async () => {
    const account = newAccount();
    const receiptId = await begin(account);
    const { eraseUser } = worker();
    const late = `users/${account}/files/late`;
    const erase = async (userId: string) => {
      await eraseUser(userId);
      await product.objects.write(late, Buffer.from('late'), { type: 'text/plain' });
    };
    await expect(worker({ eraseUser: erase }).run({ receiptId })).rejects.toBeInstanceOf(
      RunLaterError,
    );
    const { state, stores } = await receiptOf(receiptId);
    expect([state, stores.find(({ store }) => store === 'objects')?.left]).toEqual(['running', 1]);
    await run(receiptId);
    expect((await receiptOf(receiptId)).state).toBe('done');
    expect(await product.objects.head(late)).toBeNull();
  });
});

/** Upload URLs stay valid after the end of the account. */
async function waitsForUploads(receiptId: string): Promise<void> {
  const { state, stores } = await receiptOf(receiptId);
  const there = stores.filter((one) => one.left !== 0);
  expect([state, there.map(({ store }) => store)]).toEqual(['running', ['files']]);
}
