import type { LedgerLine, ReplyUsage } from '../../contract/usage.ts';
import { closeReservation, moveToLedger } from './close.ts';
import type { UsageFeature } from './feature.ts';
import { entryId, type LedgerEntry } from './ledger-model.ts';
import { type Reservation, type TokenUsage, tokensOf } from './records.ts';

// The ledger for users: its entries, and the reservations that it does not have yet.

/** An entry of the ledger with its reply. */
export interface ReplyLine extends LedgerLine {
  replyId: string;
  /** The workspace that paid; null: the user's own plan. */
  workspaceId: string | null;
  /** The conversation whose owner paid; null: none. */
  conversationId: string | null;
}

/** The charges for a reply, which one payer pays: its attempts, and the background calls about it. Oldest first. */
export async function readReplyUsage(
  { periods, ledger }: UsageFeature,
  ownerId: string,
  replyId: string,
): Promise<ReplyUsage> {
  // A reservation is removed after its entry is written, so this order of reads misses none.
  const reservations = await periods.findReservations(ownerId, replyId);
  const entries = await ledger.ofReply(ownerId, replyId);
  const known = new Set(entries.filter(isSettled).map(entryId));
  const waiting = reservations.filter((one) => !known.has(entryId(one)));
  const replaced = new Set(waiting.map(entryId));
  const kept = entries.filter((entry) => !replaced.has(entryId(entry)));
  const lines = [...kept.map(lineOfEntry), ...waiting.map(lineOfReservation)].toSorted((a, b) =>
    a.at.localeCompare(b.at),
  );
  return {
    replyId,
    tokens: lines.filter(isSettled).reduce((sum, { tokens }) => sum + tokens, 0),
    entries: lines.map(
      ({ replyId: _same, workspaceId: _payer, conversationId: _paid, ...line }) => line,
    ),
  };
}

/** All lines for which a user asked, whoever paid, latest first. Memory does not grow with their number. */
export async function* readLines(
  { periods, ledger }: UsageFeature,
  userId: string,
): AsyncGenerator<ReplyLine> {
  const [own, asked] = await Promise.all([
    periods.findReservations(userId),
    periods.findAskedBy(userId),
  ]);
  const inWorkspaces = asked.flatMap(({ reservations }) => reservations);
  const waiting = [
    ...own.filter((one) => !one.userId),
    ...inWorkspaces.filter((one) => one.userId === userId),
  ].toSorted((a, b) => b.at.getTime() - a.at.getTime());
  const shown = new Set(waiting.map(entryId));
  for await (const entry of ledger.ofUser(userId)) {
    while (waiting[0] && waiting[0].at >= entry.at) yield* takeFirst(waiting);
    // Entries that were written in the meantime, or whose attempt was reserved again, are shown as reservations.
    if (!shown.has(entryId(entry))) yield lineOfEntry(entry);
  }
  while (waiting.length > 0) yield* takeFirst(waiting);
}

export async function removeAllOf(usage: UsageFeature, userId: string): Promise<void> {
  const { periods, ledger, caps } = usage;
  await periods.removeAllOf(userId);
  await ledger.removeAllOf(userId);
  await caps.removeAllOf(userId);
  await forgetMember(usage, userId);
}

/** Keeps what the owners of workspaces have paid for a user, without the user. */
async function forgetMember(usage: UsageFeature, userId: string): Promise<void> {
  const { periods, ledger } = usage;
  for (const record of await periods.findAskedBy(userId))
    for (const reservation of record.reservations) {
      if (reservation.userId !== userId) continue;
      const placed = { record, reservation };
      if (reservation.state !== 'reserved') await moveToLedger(usage, placed);
      else await closeReservation(usage, placed, { state: 'expired' });
    }
  for (const place of await ledger.placesOf(userId)) await periods.forgetMember(place, userId);
  // Last: the entries name the usage periods.
  await ledger.forgetUser(userId);
}

/** What others have paid for a user, in entries and reservations that name the user. */
export const countAskedBy = async ({ periods, ledger }: UsageFeature, userId: string) =>
  (await ledger.countOf(userId)) + (await periods.findAskedBy(userId)).length;

const isSettled = ({ state }: { state: string }) => state === 'settled';

const takeFirst = (waiting: Reservation[]): ReplyLine[] =>
  waiting.splice(0, 1).map(lineOfReservation);

const lineOfEntry = (entry: LedgerEntry): ReplyLine => ({
  replyId: entry.replyId,
  workspaceId: entry.workspaceId ? String(entry.workspaceId) : null,
  conversationId: entry.conversationId ? String(entry.conversationId) : null,
  attempt: entry.attempt,
  kind: entry.kind,
  state: entry.state,
  model: entry.model ?? null,
  promptTokens: entry.promptTokens,
  cachedTokens: entry.cachedTokens,
  completionTokens: entry.completionTokens,
  reasoningTokens: entry.reasoningTokens,
  tokens: tokensOf(entry),
  at: entry.at.toISOString(),
});

/** An open reservation shows its reserved tokens. */
function lineOfReservation({ used = NOTHING, ...one }: Reservation): ReplyLine {
  const figures = one.state === 'reserved' ? reservedFor(one) : used;
  return {
    replyId: one.replyId,
    workspaceId: one.workspaceId ?? null,
    conversationId: one.conversationId ?? null,
    attempt: one.attempt,
    kind: one.kind,
    state: one.state,
    model: used.model ?? null,
    promptTokens: figures.promptTokens,
    cachedTokens: used.cachedTokens ?? 0,
    completionTokens: figures.completionTokens,
    reasoningTokens: used.reasoningTokens ?? 0,
    tokens: tokensOf(figures),
    at: one.at.toISOString(),
  };
}

const NOTHING: TokenUsage = { promptTokens: 0, completionTokens: 0 };

/** When less was left than the minimum reply, the reply gets all of it. */
function reservedFor({ tokens, replyTokens }: Reservation): TokenUsage {
  const completionTokens = Math.min(tokens, replyTokens);
  return { promptTokens: tokens - completionTokens, completionTokens };
}
