import type {
  Reply,
  ReplyDelta,
  ReplyError,
  ReplyState,
  ReplyStatus,
  ReplyTail,
} from '@stolas/backend/contract';

/** What a tab knows about one reply. Lengths and offsets count UTF-16 code units, as everywhere on the wire. */
export interface ReplyView {
  readonly attempt: number;
  readonly text: string;
  readonly status: ReplyStatus;
  readonly error?: ReplyError;
  /** How long the text is known to be; in a terminal state, exactly that long. */
  readonly expectedLength: number;
}

/** A reply of which nothing is known yet: any attempt of a worker is newer. */
export const UNKNOWN_REPLY: ReplyView = {
  attempt: 0,
  text: '',
  status: 'queued',
  expectedLength: 0,
};

/** Whether text is known to exist that the view lacks: time to ask for the tail. */
export const hasGap = (view: ReplyView): boolean => view.text.length < view.expectedLength;

export const isActive = (status: ReplyStatus): boolean =>
  status === 'queued' || status === 'streaming';

/**
 * A piece of text: equal offset appends, older is dropped, overlap is sliced, a gap only raises
 * `expectedLength`, a higher attempt resets (house.md, 'How a message travels', 6).
 */
export function applyDelta(view: ReplyView, frame: ReplyDelta): ReplyView {
  if (frame.attempt < view.attempt) return view;
  if (frame.attempt > view.attempt) return append(begin(frame.attempt), frame);
  // A claim raises the attempt, so a queued reply has no frames of its own: this one is a leftover.
  if (view.status === 'queued') return view;
  return append(view, frame);
}

/** A change of state as pushed by the server. Within one attempt a terminal state outlives a late `streaming`. */
export function applyState(view: ReplyView, state: ReplyState): ReplyView {
  if (state.attempt < view.attempt) return view;
  if (state.attempt > view.attempt) {
    return withStatus({ ...begin(state.attempt), expectedLength: state.length }, state);
  }
  if (state.status === 'streaming') return view;
  // `queued` again means that the reply was taken up anew, with as much of its text as `length` says.
  return withStatus(cut(view, state.length), state);
}

/**
 * The server's own account of the text from `offset` on. It may be older than what was pushed meanwhile, so it adds
 * text but never takes any, and never brings a finished reply back to life.
 */
export function applyTail(view: ReplyView, tail: ReplyTail): ReplyView {
  if (tail.attempt < view.attempt) return view;
  const base = tail.attempt > view.attempt ? begin(tail.attempt) : view;
  if (!isActive(tail.status)) {
    const whole = append({ ...base, status: 'streaming' }, tail);
    return withStatus(cut(whole, tail.offset + tail.delta.length), tail);
  }
  const next = append(base, tail);
  return isActive(next.status) && next.status !== tail.status ? withStatus(next, tail) : next;
}

/** The same for a reply as it stands in a list of messages: a tail from the very start. */
export const applySnapshot = (view: ReplyView, reply: Reply): ReplyView =>
  applyTail(view, {
    replyId: reply.id,
    conversationId: reply.conversationId,
    attempt: reply.attempt,
    offset: 0,
    delta: reply.content,
    status: reply.status,
    ...(reply.error && { error: reply.error }),
  });

const begin = (attempt: number): ReplyView => ({
  attempt,
  text: '',
  status: 'streaming',
  expectedLength: 0,
});

function append(view: ReplyView, { offset, delta }: Pick<ReplyDelta, 'offset' | 'delta'>) {
  const have = view.text.length;
  const end = offset + delta.length;
  // The length of a finished reply is final: whatever lies beyond it was never kept.
  const expectedLength = isActive(view.status)
    ? Math.max(view.expectedLength, end)
    : view.expectedLength;
  const fits = offset <= have && end > have && have < expectedLength;
  if (!fits) return expectedLength === view.expectedLength ? view : { ...view, expectedLength };
  const text = view.text + delta.slice(have - offset, expectedLength - offset);
  return { ...view, text, expectedLength };
}

const cut = (view: ReplyView, length: number): ReplyView => ({
  ...view,
  text: view.text.slice(0, length),
  expectedLength: length,
});

function withStatus(view: ReplyView, { status, error }: Pick<ReplyState, 'status' | 'error'>) {
  const { error: _former, ...rest } = view;
  return { ...rest, status, ...(error && { error }) };
}
