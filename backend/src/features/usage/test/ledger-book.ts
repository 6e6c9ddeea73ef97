import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll } from 'vitest';
import { ownDatabase } from '../../../../test/processes.ts';
import { type Connection, connectMongo, createIndexes } from '../../../db/mongo.ts';
import { computeEntitlements, type Entitlements } from '../../billing/entitlements.ts';
import { createGuestBudget, defineBudgetModel } from '../budget-model.ts';
import { createLedgerStore, defineLedgerModel } from '../ledger-model.ts';
import { createUsageStore, defineUsageModel } from '../model.ts';
import { createUsageService } from '../service.ts';
import { createUsageSweep } from '../sweep.ts';

export const newObjectId = () => randomBytes(12).toString('hex');

/** Thrown instead of a write, as if the process had crashed there. */
export class CrashError extends Error {
  override name = 'CrashError';
}

const WRITES = new Set([
  'reserve',
  'force',
  'close',
  'forget',
  'touch',
  'write',
  'take',
  'giveBack',
]);

const READS = new Set(['findWith', 'find']);

interface Hooks {
  diesNow: () => boolean;
  afterRead: () => Promise<void>;
}

/** The stores, where the process may crash before each write, and other work may run after each read. */
function hooked<T extends object>(stores: T, hooks: Hooks): T {
  return new Proxy(stores, {
    get(target, name, receiver) {
      const value: unknown = Reflect.get(target, name, receiver);
      if (typeof value !== 'function') return value;
      return async (...args: unknown[]): Promise<unknown> => {
        if (WRITES.has(String(name)) && hooks.diesNow()) throw new CrashError();
        const result: unknown = await value.apply(target, args);
        if (READS.has(String(name))) await hooks.afterRead();
        return result;
      };
    },
  });
}

/** A usage service on the test's database, with a clock, entitlements, active replies and crashes that the test decides. */
export function openBook(connection: Connection, { tokensPerHour = 1_000_000_000 } = {}) {
  const models = {
    usage: defineUsageModel(connection),
    ledger: defineLedgerModel(connection),
    budget: defineBudgetModel(connection),
  };
  let clock = Date.now();
  const hooks: Hooks = { diesNow: () => false, afterRead: async () => undefined };
  const active = new Set<string>();
  const entitlements = new Map<string, Partial<Entitlements>>();
  const now = () => new Date(clock);
  const deps = {
    store: hooked(createUsageStore(models.usage), hooks),
    ledger: hooked(createLedgerStore(models.ledger), hooks),
    budget: hooked(createGuestBudget(models.budget, { tokensPerHour }), hooks),
    now,
    newId: randomUUID,
    isActive: async (ids: string[]) => new Set(ids.filter((id) => active.has(id))),
    entitlementsOf: async (userId: string): Promise<Entitlements> => {
      const account = { subscriptionStatus: 'guest' as const };
      const guest = computeEntitlements({ account, subscription: null, now: now() });
      return { ...guest, ...entitlements.get(userId) };
    },
  };
  const usage = createUsageService(deps);
  const sumsOf = (ownerId: string) => models.usage.find({ ownerId }).lean();
  const entriesOf = (ownerId: string) => models.ledger.find({ ownerId }).lean();
  return {
    usage,
    store: deps.store,
    sweep: createUsageSweep(deps),
    active,
    /** What `ownerId` is entitled to, beyond or instead of a guest. */
    entitle: (ownerId: string, changes: Partial<Entitlements>) => {
      entitlements.set(ownerId, changes);
    },
    later: (ms: number) => {
      clock += ms;
    },
    now,
    /** Runs `task` with a crash before the given write (0: the first); true when it reached that write. */
    dieBefore: async (write: number, task: () => Promise<unknown>): Promise<boolean> => {
      let left = write;
      hooks.diesNow = () => left-- <= 0;
      try {
        await task();
        return false;
      } catch (error) {
        if (error instanceof CrashError) return true;
        throw error;
      } finally {
        hooks.diesNow = () => false;
      }
    },
    setCrashes: (next: () => boolean) => {
      hooks.diesNow = next;
    },
    /** Runs `task` between the next read and what follows it. */
    afterNextRead: (task: () => Promise<unknown>) => {
      hooks.afterRead = async () => {
        hooks.afterRead = async () => undefined;
        await task();
      };
    },
    sumsOf,
    entriesOf,
    budgetTokens: async () => (await models.budget.find({}).lean()).map(({ tokens }) => tokens),
    /** What the documents say, and what the entries and open reservations add up to. */
    audit: async (ownerId: string) => {
      const [docs, entries] = await Promise.all([sumsOf(ownerId), entriesOf(ownerId)]);
      const reservations = docs.flatMap((doc) => doc.reservations ?? []);
      const open = reservations.filter(({ state }) => state === 'reserved');
      const written = new Set(
        entries.filter(({ state }) => state === 'settled').map(({ _id }) => _id),
      );
      const unwritten = reservations.filter(
        ({ state, replyId, attempt }) =>
          state === 'settled' && !written.has(`${replyId}:${attempt}`),
      );
      const sum = (numbers: (number | null | undefined)[]) =>
        numbers.reduce<number>((total, one) => total + (one ?? 0), 0);
      const settled =
        sum(
          entries
            .filter(({ state }) => state === 'settled')
            .map((e) => e.promptTokens + e.completionTokens),
        ) +
        sum(unwritten.map(({ used }) => (used?.promptTokens ?? 0) + (used?.completionTokens ?? 0)));
      const reserved = sum(open.map(({ tokens }) => tokens));
      return {
        stored: {
          settled: sum(docs.map(({ settledTokens }) => settledTokens)),
          committed: sum(docs.map(({ committedTokens }) => committedTokens)),
          running: sum(docs.map(({ running }) => running)),
          messages: sum(docs.map(({ messages }) => messages)),
        },
        derived: {
          settled,
          committed: settled + reserved,
          running: open.length,
          messages:
            sum(entries.filter(({ state }) => state === 'settled').map((e) => e.messages)) +
            sum([...unwritten, ...open].map(({ messages }) => messages)),
        },
        left: reservations.length,
      };
    },
  };
}

export type Book = ReturnType<typeof openBook>;

/** Opens a book on a database of the test file's own before its tests, hands it to `opened`, and closes it after them. */
export function withBook(
  opened: (book: Book, connection: Connection) => void,
  options: Parameters<typeof openBook>[1] = {},
): void {
  let connection: Connection;
  beforeAll(async () => {
    connection = await connectMongo(ownDatabase());
    opened(openBook(connection, options), connection);
    await createIndexes(connection);
  });
  afterAll(() => connection.close());
}
