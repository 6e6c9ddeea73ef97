import type { DailyLease } from '../../db/daily-runs.ts';
import type { AuditCounts } from './audit-model.ts';
import type { UsageFeature } from './feature.ts';
import { entryId, type LedgerSum } from './ledger-model.ts';
import {
  addDays,
  dayOf,
  emptySums,
  laterDay,
  type MemberSums,
  memberKeyOf,
  NO_MEMBER,
  NO_TOKENS,
  tokensOf,
  type UsageRecord,
  type UsageSums,
} from './records.ts';

/** The interval in which each worker checks whether the audit of the day is due. */
export const AUDIT_EVERY_MS = 15 * 60_000;
/** A worker that has not renewed its lease for this long is lost. */
const LEASE_MS = 10 * 60_000;
/** The maximum difference between the clocks of processes. */
const CLOCK_SKEW_MS = 60 * 60_000;
const BATCH = 100;
const MAX_UPDATES = 3;

/**
 * Compares the sums of usage periods with the ledger once a day (UTC), in one worker, and repairs them. Only documents that have changed
 * since the last audit are read; those of a crashed audit are compared again.
 */
export async function auditSums(usage: UsageFeature): Promise<void> {
  const { audits, now } = usage;
  const at = now();
  const staleBefore = new Date(at.getTime() - LEASE_MS);
  const last = await audits.lastFinished();
  const lease = await audits.lease(dayOf(at), { now: at, staleBefore });
  if (lease) await compareAll(usage, lease, last);
}

async function compareAll(
  usage: UsageFeature,
  leased: DailyLease,
  last: { startedAt: Date } | null,
): Promise<void> {
  const { periods, audits, now, log } = usage;
  const since = last ? new Date(last.startedAt.getTime() - CLOCK_SKEW_MS) : undefined;
  const counts: AuditCounts = { compared: 0, repaired: 0, busy: 0, repairedTokens: 0 };
  let lease: DailyLease | null = leased;
  let after: string | undefined;
  for (;;) {
    const page = await periods.findChanged({ since, after, limit: BATCH });
    for (const record of page) {
      const result = await compare(usage, record);
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
  if (await audits.finish(lease, counts, now())) log.info(counts, 'usage sums audited');
}

/**
 * The update expects the version that was read: when reservations change at the same time, it fails and the document is read again.
 * @returns the difference of a repaired document in charged tokens
 */
async function compare(usage: UsageFeature, read: UsageRecord): Promise<'equal' | 'busy' | number> {
  const { periods, log, now, publishChange } = usage;
  let record: UsageRecord | null = read;
  for (let updates = 0; record && updates < MAX_UPDATES; updates += 1) {
    const { id, ownerId, version } = record;
    const expected = await expectedOf(usage, record);
    if (isSame(record, expected)) return 'equal';
    if (await periods.repair({ id, ownerId, version }, expected, now())) {
      const stored = pickSums(record);
      log.warn({ usageId: id, stored, expected }, 'usage sums repaired');
      publishChange(ownerId);
      return Math.abs(record.settledTokens - expected.settledTokens);
    }
    record = await periods.find({ id, ownerId });
  }
  return record ? 'busy' : 'equal';
}

async function expectedOf({ ledger }: UsageFeature, record: UsageRecord): Promise<UsageSums> {
  // A settled reservation may be written to the ledger at any moment, so it is counted from the document.
  const waiting = record.reservations.filter(({ state }) => state === 'settled').map(entryId);
  return sumUp(record, await ledger.sumsOf(record, waiting));
}

/** The sums of the settled ledger entries and of the reservations that are not in the ledger yet. */
function sumUp(record: UsageRecord, entries: LedgerSum[]): UsageSums {
  const sums = emptySums();
  const add = (
    { day, kind, messages, member }: Pick<LedgerSum, 'day' | 'kind' | 'messages' | 'member'>,
    tokens: UsageSums['days'][string],
    running = 0,
  ) => {
    sums.messages += messages;
    sums.settledTokens += tokens.settled;
    sums.committedTokens += tokens.committed;
    sums.days[day] = addDays(sums.days[day] ?? NO_TOKENS, tokens);
    sums.kinds[kind] = (sums.kinds[kind] ?? 0) + tokens.settled;
    if (member === undefined) sums.running += running;
    else
      sums.members[member] = addMember(sums.members[member], { ...tokens, running, lastOn: day });
  };
  for (const { tokens, ...entry } of entries) add(entry, { settled: tokens, committed: tokens });
  for (const reservation of record.reservations) {
    const { state, at, kind, messages, tokens, used } = reservation;
    const member = memberKeyOf(reservation);
    const place = { day: dayOf(at), kind, messages, member };
    const charged = tokensOf(used);
    if (state === 'settled') add(place, { settled: charged, committed: charged });
    if (state === 'reserved')
      add(place, { settled: 0, committed: tokens }, kind === 'reply' ? 1 : 0);
  }
  return sums;
}

const addMember = (a = NO_MEMBER, b: MemberSums): MemberSums => ({
  ...addDays(a, b),
  running: a.running + b.running,
  lastOn: laterDay(a.lastOn, b.lastOn),
});

const pickSums = (record: UsageSums): UsageSums => {
  const { messages, settledTokens, committedTokens, running, days, kinds, members } = record;
  return { messages, settledTokens, committedTokens, running, days, kinds, members };
};

/** A missing day, kind or member has no tokens. */
function isSame(a: UsageSums, b: UsageSums): boolean {
  const days = new Set([...Object.keys(a.days), ...Object.keys(b.days)]);
  const kinds = new Set(Object.keys({ ...a.kinds, ...b.kinds }) as (keyof UsageSums['kinds'])[]);
  const members = new Set([...Object.keys(a.members), ...Object.keys(b.members)]);
  return (
    [...members].every((id) => isSameMember(a.members[id], b.members[id])) &&
    a.messages === b.messages &&
    a.settledTokens === b.settledTokens &&
    a.committedTokens === b.committedTokens &&
    a.running === b.running &&
    [...days].every((day) => isSameDay(a.days[day] ?? NO_TOKENS, b.days[day] ?? NO_TOKENS)) &&
    [...kinds].every((kind) => (a.kinds[kind] ?? 0) === (b.kinds[kind] ?? 0))
  );
}

const isSameMember = (a = NO_MEMBER, b = NO_MEMBER) => a.running === b.running && isSameDay(a, b);

const isSameDay = (a: typeof NO_TOKENS, b: typeof NO_TOKENS) =>
  a.settled === b.settled && a.committed === b.committed;
