import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll } from 'vitest';
import { ownDatabase } from '../../../../test/processes.ts';
import { createDailyRuns } from '../../../db/daily-runs.ts';
import { type Connection, connectMongo, createIndexes } from '../../../db/mongo.ts';
import { computeEntitlements, type Entitlements } from '../../billing/entitlements.ts';
import { type AuditCounts, createAudit, defineAuditModel } from '../audit.ts';
import { createGuestBudget, defineBudgetModel } from '../budget-model.ts';
import { createCapStore, defineCapModel } from '../cap-model.ts';
import { createLedgerStore, defineLedgerModel } from '../ledger-model.ts';
import { createUsageStore, defineUsageModel } from '../model.ts';
import { createUsageService } from '../service.ts';
import { createUsageSweep } from '../sweep.ts';
import { createDerivation } from './derive.ts';

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
  'repair',
  'lease',
  'renew',
  'finish',
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
      if (!WRITES.has(String(name)) && !READS.has(String(name))) return value;
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
    caps: defineCapModel(connection),
    audits: defineAuditModel(connection),
  };
  let clock = Date.now();
  const hooks: Hooks = { diesNow: () => false, afterRead: async () => undefined };
  const active = new Set<string>();
  const changed: string[] = [];
  const entitlements = new Map<string, Partial<Entitlements>>();
  const now = () => new Date(clock);
  const deps = {
    store: hooked(createUsageStore(models.usage), hooks),
    ledger: hooked(createLedgerStore(models.ledger), hooks),
    budget: hooked(createGuestBudget(models.budget, { tokensPerHour }), hooks),
    caps: createCapStore(models.caps),
    audits: hooked(createDailyRuns<AuditCounts>(models.audits), hooks),
    log: { info: () => undefined, warn: () => undefined },
    now,
    onChanged: (ownerId: string) => changed.push(ownerId),
    newId: randomUUID,
    cachedShare: 0.1,
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
    ledger: deps.ledger,
    models,
    sweep: createUsageSweep(deps),
    runAudit: createAudit(deps),
    active,
    /** Users whose sums have changed, in order. */
    changed,
    /** What `ownerId` is entitled to, beyond or instead of a guest. */
    entitle: (ownerId: string, changes: Partial<Entitlements>) => {
      entitlements.set(ownerId, changes);
    },
    later: (ms: number) => {
      clock += ms;
    },
    /** Sets the clock. */
    setTime: (time: string) => {
      clock = Date.parse(time);
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
    audit: createDerivation(connection),
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
