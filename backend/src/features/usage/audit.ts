import { type DailyLease, type DailyRuns, defineDailyRunModel } from '../../db/daily-runs.ts';
import type { Connection } from '../../db/mongo.ts';
import type { Log } from '../../log.ts';
import { entryId, type LedgerStore, type LedgerSum } from './ledger-model.ts';
import type { UsageStore } from './model.ts';
import {
  addDays,
  dayOf,
  NO_TOKENS,
  tokensOf,
  type UsageRecord,
  type UsageSums,
} from './records.ts';

/** How often each worker looks whether the comparison of the day is due. */
export const AUDIT_EVERY_MS = 15 * 60_000;
/** A worker that has not renewed its lease for this long is gone. */
const LEASE_MS = 10 * 60_000;
/** By how much the clocks of processes may differ. */
const CLOCK_SKEW_MS = 60 * 60_000;
const BATCH = 100;
const MAX_TRIES = 3;

/** What a nightly comparison has found. */
export interface AuditCounts {
  /** Documents of sums that have changed since the comparison before. */
  compared: number;
  /** Documents whose sums differed from the ledger and were corrected. */
  repaired: number;
  /** Documents that changed at every try; the next night compares them. */
  busy: number;
  /** By how many charged tokens the sums differed, regardless of the sign. */
  repairedTokens: number;
}

export const defineAuditModel = (connection: Connection) =>
  defineDailyRunModel(connection, { name: 'UsageAudit', collection: 'usage_audits' });

export type AuditRuns = DailyRuns<AuditCounts>;

interface AuditDeps {
  store: Pick<UsageStore, 'find' | 'findChanged' | 'repair'>;
  ledger: Pick<LedgerStore, 'sumsOf'>;
  audits: AuditRuns;
  now: () => Date;
  log: Pick<Log, 'info' | 'warn'>;
  onChanged: (ownerId: string) => void;
}

/**
 * Compares the sums of usage periods with the ledger once a day (UTC), by one worker, and repairs them. Only documents
 * that have changed since the last comparison are read: those of a crashed comparison are compared again.
 */
export function createAudit({ store, ledger, audits, now, log, onChanged }: AuditDeps) {
  const expectedOf = async (record: UsageRecord): Promise<UsageSums> => {
    // Such a reservation may be written to the ledger at any moment; it is counted from here.
    const waiting = record.reservations.filter(({ state }) => state === 'settled').map(entryId);
    return sumUp(record, await ledger.sumsOf(record.id, waiting));
  };

  /** The update expects the version that was read: reservations that change meanwhile make it fail, and it is tried again. */
  const compare = async (read: UsageRecord): Promise<'equal' | 'busy' | number> => {
    let record: UsageRecord | null = read;
    for (let tries = 0; record && tries < MAX_TRIES; tries += 1) {
      const { id, ownerId, version } = record;
      const expected = await expectedOf(record);
      if (isSame(record, expected)) return 'equal';
      if (await store.repair({ id, version }, expected, now())) {
        const stored = pickSums(record);
        log.warn({ usageId: id, stored, expected }, 'sums of usage were repaired');
        onChanged(ownerId);
        return Math.abs(record.settledTokens - expected.settledTokens);
      }
      record = await store.find(id);
    }
    return record ? 'busy' : 'equal';
  };

  const compareAll = async (
    leased: DailyLease,
    last: { startedAt: Date } | null,
  ): Promise<void> => {
    const since = last ? new Date(last.startedAt.getTime() - CLOCK_SKEW_MS) : undefined;
    const counts: AuditCounts = { compared: 0, repaired: 0, busy: 0, repairedTokens: 0 };
    let lease: DailyLease | null = leased;
    let after: string | undefined;
    for (;;) {
      const page = await store.findChanged({ since, after, limit: BATCH });
      for (const record of page) {
        const result = await compare(record);
        counts.compared += 1;
        if (result === 'busy') counts.busy += 1;
        if (typeof result !== 'number') continue;
        counts.repaired += 1;
        counts.repairedTokens += result;
      }
      after = page.at(-1)?.id;
      if (page.length < BATCH) break;
      lease = await audits.renew(lease, now());
      if (!lease) return;
    }
    if (await audits.finish(lease, counts, now()))
      log.info(counts, 'sums of usage were compared with the ledger');
  };

  return async (): Promise<void> => {
    const at = now();
    const staleBefore = new Date(at.getTime() - LEASE_MS);
    const last = await audits.lastFinished();
    const lease = await audits.lease(dayOf(at), { now: at, staleBefore });
    if (lease) await compareAll(lease, last);
  };
}

/** What the sums should be: the settled entries of the ledger and the reservations that do not stand in it. */
function sumUp(record: UsageRecord, entries: LedgerSum[]): UsageSums {
  const sums: UsageSums = {
    messages: 0,
    settledTokens: 0,
    committedTokens: 0,
    running: 0,
    days: {},
    kinds: {},
  };
  const add = (
    { day, kind, messages }: Pick<LedgerSum, 'day' | 'kind' | 'messages'>,
    tokens: UsageSums['days'][string],
  ) => {
    sums.messages += messages;
    sums.settledTokens += tokens.settled;
    sums.committedTokens += tokens.committed;
    sums.days[day] = addDays(sums.days[day] ?? NO_TOKENS, tokens);
    sums.kinds[kind] = (sums.kinds[kind] ?? 0) + tokens.settled;
  };
  for (const { tokens, ...entry } of entries) add(entry, { settled: tokens, committed: tokens });
  for (const { state, at, kind, messages, tokens, used } of record.reservations) {
    const place = { day: dayOf(at), kind, messages };
    const charged = tokensOf(used);
    if (state === 'settled') add(place, { settled: charged, committed: charged });
    if (state === 'reserved') add(place, { settled: 0, committed: tokens });
    if (state === 'reserved' && kind === 'reply') sums.running += 1;
  }
  return sums;
}

const pickSums = (record: UsageSums): UsageSums => {
  const { messages, settledTokens, committedTokens, running, days, kinds } = record;
  return { messages, settledTokens, committedTokens, running, days, kinds };
};

/** A day or kind that is missing is one without tokens. */
function isSame(a: UsageSums, b: UsageSums): boolean {
  const days = new Set([...Object.keys(a.days), ...Object.keys(b.days)]);
  const kinds = new Set(Object.keys({ ...a.kinds, ...b.kinds }) as (keyof UsageSums['kinds'])[]);
  return (
    a.messages === b.messages &&
    a.settledTokens === b.settledTokens &&
    a.committedTokens === b.committedTokens &&
    a.running === b.running &&
    [...days].every((day) => isSameDay(a.days[day] ?? NO_TOKENS, b.days[day] ?? NO_TOKENS)) &&
    [...kinds].every((kind) => (a.kinds[kind] ?? 0) === (b.kinds[kind] ?? 0))
  );
}

const isSameDay = (a: typeof NO_TOKENS, b: typeof NO_TOKENS) =>
  a.settled === b.settled && a.committed === b.committed;
