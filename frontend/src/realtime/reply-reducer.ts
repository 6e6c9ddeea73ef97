import type {
  DeltaText,
  Reply,
  ReplyDelta,
  ReplyEnding,
  ReplyError,
  ReplyPart,
  ReplyState,
  ReplyStatus,
  ReplyTail,
} from '@stolas/backend/contract';
import { authorOf, isActive } from '@stolas/backend/contract';

/**
 * A tab's view of one reply. Lengths and offsets count UTF-16 code units over all parts, one after another, as
 * everywhere on the wire.
 */
export interface ReplyView {
  readonly attempt: number;
  readonly parts: readonly ReplyPart[];
  /** Length of all parts together. */
  readonly length: number;
  readonly status: ReplyStatus;
  readonly error?: ReplyError;
  readonly ending?: ReplyEnding;
  /** The known length of the parts; in a terminal state, their exact length. */
  readonly expectedLength: number;
  /** The number of replies that start before this one; only while it is queued and the server has reported it. */
  readonly ahead?: number;
}

/** An unknown reply: any attempt of a worker is newer. */
export const UNKNOWN_REPLY: ReplyView = {
  attempt: 0,
  parts: [],
  length: 0,
  status: 'queued',
  expectedLength: 0,
};

/** Whether text is known to exist that the view lacks: the tail must be read. */
export const hasGap = (view: ReplyView): boolean => view.length < view.expectedLength;

/** The texts of the text parts joined: the `content` of the reply. */
export const contentOf = (parts: readonly ReplyPart[]): string =>
  parts.reduce((content, { type, text }) => (type === 'text' ? content + text : content), '');

export const lengthOf = (parts: readonly ReplyPart[]): number =>
  parts.reduce((length, { text }) => length + text.length, 0);

/** The first `length` code units of the parts. Parts that are not cut keep their identity. */
export function cutParts(parts: readonly ReplyPart[], length: number): readonly ReplyPart[] {
  if (lengthOf(parts) <= length) return parts;
  const kept: ReplyPart[] = [];
  let left = length;
  for (const part of parts) {
    if (left <= 0) break;
    kept.push(part.text.length <= left ? part : { ...part, text: part.text.slice(0, left) });
    left -= part.text.length;
  }
  return kept;
}

/**
 * A delta at the end is appended, an older one is dropped, the known part of an overlapping one is skipped, one behind a
 * gap only raises `expectedLength`, and one of a higher attempt starts over.
 */
export function applyDelta(view: ReplyView, delta: ReplyDelta): ReplyView {
  if (delta.attempt < view.attempt) return view;
  if (delta.attempt > view.attempt) return append(begin(delta.attempt), delta);
  // The start of an attempt raises `attempt`, so a queued reply has no deltas of its own: this one belongs to an
  // earlier attempt.
  if (view.status === 'queued') return view;
  return append(view, delta);
}

/** A change of state as pushed by the server. Within one attempt a terminal state outlives a late `streaming`. */
export function applyState(view: ReplyView, state: ReplyState): ReplyView {
  if (state.attempt < view.attempt) return view;
  if (state.attempt > view.attempt) {
    return withStatus({ ...begin(state.attempt), expectedLength: state.length }, state);
  }
  if (state.status === 'streaming') return view;
  // `queued` again means that the reply is to be continued, and keeps `length` code units of its text.
  return withStatus(cut(view, state.length), state);
}

/**
 * The server's text of the reply from `offset` on. It may be older than what was pushed meanwhile, so it adds text but
 * never removes any, and never makes a finished reply active again.
 */
export function applyTail(view: ReplyView, tail: ReplyTail): ReplyView {
  if (tail.attempt < view.attempt) return view;
  const base = tail.attempt > view.attempt ? begin(tail.attempt) : view;
  if (!isActive(tail.status)) {
    const whole = tail.deltas.reduce(append, { ...base, status: 'streaming' as const });
    return withStatus(cut(whole, tail.length), tail);
  }
  const next = tail.deltas.reduce(append, base);
  // A list of messages does not say how many replies are ahead.
  const isMoved = tail.ahead !== undefined && tail.ahead !== next.ahead;
  const isNews = isMoved || next.status !== tail.status;
  return isActive(next.status) && isNews ? withStatus(next, tail) : next;
}

/** The same for a reply as it stands in a list of messages: a tail from the very start. */
export function applySnapshot(view: ReplyView, reply: Reply): ReplyView {
  const deltas: DeltaText[] = [];
  let offset = 0;
  for (const [part, { text, ...kind }] of reply.parts.entries()) {
    deltas.push({ part, ...kind, offset, delta: text });
    offset += text.length;
  }
  return applyTail(view, {
    replyId: reply.id,
    conversationId: reply.conversationId,
    attempt: reply.attempt,
    offset: 0,
    length: offset,
    deltas,
    status: reply.status,
    ...(reply.error && { error: reply.error }),
    ...(reply.ending && { ending: reply.ending }),
  });
}

/** The view of a reply that has just been read, or of one that is unknown. */
export function viewFrom(reply: Reply | undefined): ReplyView {
  if (!reply) return UNKNOWN_REPLY;
  const { attempt, parts, status, error, ending } = reply;
  const length = lengthOf(parts);
  const end = { ...(error && { error }), ...(ending && { ending }) };
  return { attempt, parts, length, status, expectedLength: length, ...end };
}

const begin = (attempt: number): ReplyView => ({
  attempt,
  parts: [],
  length: 0,
  status: 'streaming',
  expectedLength: 0,
});

function append(view: ReplyView, { part, type, offset, delta, ...rest }: DeltaText): ReplyView {
  const have = view.length;
  const end = offset + delta.length;
  // The length of a finished reply is final: text beyond it was not stored.
  const expectedLength = isActive(view.status)
    ? Math.max(view.expectedLength, end)
    : view.expectedLength;
  const isNext = part === view.parts.length - 1 || part === view.parts.length;
  const fits = isNext && offset <= have && end > have && have < expectedLength;
  if (!fits) return expectedLength === view.expectedLength ? view : { ...view, expectedLength };
  const text = delta.slice(have - offset, expectedLength - offset);
  const parts = view.parts.slice(0, part);
  parts.push({ type, text: (view.parts[part]?.text ?? '') + text, ...authorOf(rest) });
  return { ...view, parts, length: have + text.length, expectedLength };
}

const cut = (view: ReplyView, length: number): ReplyView => ({
  ...view,
  parts: cutParts(view.parts, length),
  length: Math.min(view.length, length),
  expectedLength: length,
});

function withStatus(
  view: ReplyView,
  { status, error, ending, ahead }: Pick<ReplyState, 'status' | 'error' | 'ending' | 'ahead'>,
): ReplyView {
  const { error: _error, ending: _ending, ahead: _ahead, ...rest } = view;
  const isWaiting = status === 'queued' && ahead !== undefined;
  const end = { ...(error && { error }), ...(ending && { ending }) };
  return { ...rest, status, ...end, ...(isWaiting && { ahead }) };
}
