import type { LedgerLine, ReplyUsage } from '../../contract/usage.ts';
import type { UsageFeature } from './feature.ts';
import { entryId, type LedgerEntry } from './ledger-model.ts';
import { type Reservation, type TokenUsage, tokensOf } from './records.ts';

// The ledger for users: its entries, and the reservations that it does not have yet.

/** An entry of the ledger with its reply. */
export interface ReplyLine extends LedgerLine {
  replyId: string;
}

/** The charges for a reply: its attempts, and the background calls about it. Oldest first. */
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
    entries: lines.map(({ replyId: _same, ...line }) => line),
  };
}

/** All lines of a user in all usage periods, latest first. Memory does not grow with their number. */
export async function* readLines(
  { periods, ledger }: UsageFeature,
  ownerId: string,
): AsyncGenerator<ReplyLine> {
  const reservations = await periods.findReservations(ownerId);
  const waiting = reservations.toSorted((a, b) => b.at.getTime() - a.at.getTime());
  const shown = new Set(waiting.map(entryId));
  for await (const entry of ledger.ofUser(ownerId)) {
    while (waiting[0] && waiting[0].at >= entry.at) yield* takeFirst(waiting);
    // Entries that were written in the meantime, or whose attempt was reserved again, are shown as reservations.
    if (!shown.has(entryId(entry))) yield lineOfEntry(entry);
  }
  while (waiting.length > 0) yield* takeFirst(waiting);
}

export async function removeAllOf(
  { periods, ledger, caps }: UsageFeature,
  ownerId: string,
): Promise<void> {
  await periods.removeAllOf(ownerId);
  await ledger.removeAllOf(ownerId);
  await caps.removeAllOf(ownerId);
}

const isSettled = ({ state }: { state: string }) => state === 'settled';

const takeFirst = (waiting: Reservation[]): ReplyLine[] =>
  waiting.splice(0, 1).map(lineOfReservation);

const lineOfEntry = (entry: LedgerEntry): ReplyLine => ({
  replyId: entry.replyId,
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
