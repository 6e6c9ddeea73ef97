import { Types } from 'mongoose';
import { beforeAll, describe, expect, it } from 'vitest';
import { DELETION_STORES } from '../src/contract/deletion.ts';
import { createDeleting, createDeletionSweep } from '../src/features/privacy/deletion/deleting.ts';
import { createReceiptStore } from '../src/features/privacy/deletion/receipt-model.ts';
import { RunLaterError } from '../src/jobs/define-job.ts';
import { createErasure, createUserStores } from '../src/processes/parts/features.ts';
import { openUserStores } from './user-stores.ts';

type UserStores = Awaited<ReturnType<typeof openUserStores>>;

let product: UserStores['product'];
let fill: UserStores['fill'];
let left: UserStores['left'];
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
  ({ product, fill, left } = await openUserStores());
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
