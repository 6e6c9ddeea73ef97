import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll } from 'vitest';
import { ownDatabase } from '../../../../test/processes.ts';
import { type Connection, connectMongo, createIndexes } from '../../../db/mongo.ts';
import { computeEntitlements, type Entitlements } from '../../billing/entitlements.ts';
import { ownPayer, type Payer } from '../../payer.ts';
import { auditSums } from '../audit.ts';
import { createUsageFeature, defineModels, type Others } from '../feature.ts';
import { bindMembers } from '../members.ts';
import { sweepReservations } from '../sweep.ts';
import { createDerivation } from './derive.ts';

export const newObjectId = () => randomBytes(12).toString('hex');

/** Thrown instead of a write, like a crash of the process. */
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

/** The stores, with a possible crash before each write, and other work after each read. */
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

/** The call, in which a user's id stands for the own plan of the user. */
const paying =
  <Rest extends unknown[], Result>(call: (payer: Payer, ...rest: Rest) => Result) =>
  (payer: Payer | string, ...rest: Rest): Result =>
    call(typeof payer === 'string' ? ownPayer(payer) : payer, ...rest);

/** Usage on the test's database, with a clock, entitlements, active replies and crashes that the test sets. */
export function openBook(connection: Connection, { tokensPerHour = 1_000_000_000 } = {}) {
  const models = defineModels(connection);
  let clock = Date.now();
  const hooks: Hooks = { diesNow: () => false, afterRead: async () => undefined };
  const active = new Set<string>();
  const changed: string[] = [];
  const entitlements = new Map<string, Partial<Entitlements>>();
  const members = new Map<string, { cap: number | null }>();
  const paid = new Map<string, { cap: number }>();
  const now = () => new Date(clock);
  const others: Others = {
    accounts: { publishUsage: (ownerId) => void changed.push(ownerId) },
    chat: {
      activeReplies: async (ids) => new Set(ids.filter((id) => active.has(id))),
      paidByOwner: async ({ id }) => paid.get(id) ?? null,
      openReply: async ({ userId }) => ({ reply: { payer: ownPayer(userId) } }),
    },
    workspaces: {
      memberOf: async ({ userId }) => members.get(userId) ?? null,
      poolsOf: async () => [],
    },
    billing: {
      entitlementsOf: async (userId): Promise<Entitlements> => {
        const account = { subscriptionStatus: 'guest' as const };
        const guest = computeEntitlements({ account, subscription: null, now: now() });
        return { ...guest, ...entitlements.get(userId) };
      },
    },
  };
  const config = { GUEST_TOKENS_PER_HOUR: tokensPerHour, CACHED_TOKENS_SHARE: 0.1 };
  const log = { info: () => undefined, warn: () => undefined };
  const made = createUsageFeature({ models, config, log, now }, others);
  const feature = {
    ...made,
    periods: hooked(made.periods, hooks),
    ledger: hooked(made.ledger, hooks),
    budget: hooked(made.budget, hooks),
    audits: hooked(made.audits, hooks),
  };
  const { reserve, settle, release, ...rest } = bindMembers(feature);
  const usage = {
    ...feature,
    ...rest,
    reserve: paying(reserve),
    settle: paying(settle),
    release: paying(release),
  };
  const sumsOf = (ownerId: string) => models.usage.find({ ownerId }).lean();
  const entriesOf = (ownerId: string) => models.ledger.find({ ownerId }).lean();
  return {
    usage,
    store: usage.periods,
    ledger: usage.ledger,
    models,
    sweep: () => sweepReservations(usage),
    runAudit: () => auditSums(usage),
    active,
    /** The members of workspaces with their caps, by the id of the user. */
    members,
    /** The conversations for which their owners pay, with the caps. */
    paid,
    /** Users whose sums have changed, in order. */
    changed,
    /** The entitlements of `ownerId`, which replace those of a guest. */
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
    /** Runs `task` right after the next read. */
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

/** Opens a book on a separate database before the file's tests, passes it to `opened`, and closes it after them. */
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
