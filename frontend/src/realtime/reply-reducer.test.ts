import type { ReplyDelta, ReplyState, ReplyTail } from '@stolas/backend/contract';
import { describe, expect, it } from 'vitest';
import {
  applyDelta,
  applySnapshot,
  applyState,
  applyTail,
  hasGap,
  isActive,
  type ReplyView,
  UNKNOWN_REPLY,
} from './reply-reducer.ts';

const SEEDS = 1_000;
const at = { replyId: 'r1', conversationId: 'c1' };

type Pushed = { frame: ReplyDelta } | { state: ReplyState };

/** mulberry32: a small generator whose whole run follows from the seed. */
function random(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

const apply = (view: ReplyView, pushed: Pushed) =>
  'frame' in pushed ? applyDelta(view, pushed.frame) : applyState(view, pushed.state);

/** One to three attempts, each cut into frames; the last one reaches a terminal state. */
function history(pick: (below: number) => number): Pushed[] {
  const pieces = ['a', 'night ', '🌌', 'ß', '\n\n', '```ts\n', 'e\u0301', 'סטולס '];
  const attempts = 1 + pick(3);
  const all: Pushed[] = [];
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    all.push({ state: { ...at, attempt, status: 'streaming', length: 0 } });
    let offset = 0;
    const text = Array.from({ length: pick(30) }, () => pieces[pick(pieces.length)]).join('');
    while (offset < text.length) {
      const delta = text.slice(offset, offset + 1 + pick(9));
      all.push({ frame: { ...at, attempt, offset, delta } });
      offset += delta.length;
    }
    const last = attempt === attempts;
    const status = last ? (['complete', 'stopped', 'failed'] as const)[pick(3)] : 'interrupted';
    if (status) all.push({ state: { ...at, attempt, status, length: text.length } });
  }
  return all;
}

/** What the server would answer after the first `count` events: it never misses one. */
function server(events: Pushed[], count: number): ReplyView {
  let attempt = 0;
  let text = '';
  let status: ReplyView['status'] = 'queued';
  for (const event of events.slice(0, count)) {
    if ('frame' in event) text += event.frame.delta;
    else {
      if (event.state.attempt > attempt) text = '';
      attempt = event.state.attempt;
      status = event.state.status;
    }
  }
  return { attempt, text, status, expectedLength: text.length };
}

function tailFor(view: ReplyView, truth: ReplyView): ReplyTail {
  const offset = truth.attempt === view.attempt ? Math.min(view.text.length, truth.text.length) : 0;
  const delta = truth.text.slice(offset);
  return { ...at, attempt: truth.attempt, offset, delta, status: truth.status };
}

/** Drops, doubles and moves events; each keeps the point in time at which it was made. */
function disturb(events: Pushed[], pick: (below: number) => number) {
  return events
    .flatMap((event, index) => {
      const luck = pick(10);
      if (luck === 0) return [];
      const arrival = () => index + (pick(3) === 0 ? pick(6) : 0);
      const once = { event, made: index + 1, arrival: arrival() };
      return luck === 1 ? [once, { ...once, arrival: arrival() + pick(8) }] : [once];
    })
    .toSorted((a, b) => a.arrival - b.arrival);
}

describe('a reply put together from what the server pushes', () => {
  it('is whole for every cut: snapshot of the first k events, then the rest', () => {
    for (let seed = 0; seed < SEEDS; seed += 1) {
      const events = history(random(seed));
      const truth = server(events, events.length);
      for (let k = 0; k <= events.length; k += 1) {
        const then = server(events, k);
        const snapshot = applySnapshot(UNKNOWN_REPLY, {
          ...at,
          id: at.replyId,
          role: 'assistant',
          parentId: 'm1',
          createdAt: '',
          content: then.text,
          attempt: then.attempt,
          status: then.status,
        });
        const rest = events.slice(Math.max(0, k - 3)).reduce(apply, snapshot);
        expect(rest, `seed ${seed}, cut ${k}`).toEqual(truth);
      }
    }
  });

  it('is whole after drops, doubles and reorderings, once the tail was asked for', () => {
    for (let seed = 0; seed < SEEDS; seed += 1) {
      const pick = random(seed);
      const events = history(pick);
      let view = UNKNOWN_REPLY;
      let newest = 0;
      for (const { event, made } of disturb(events, pick)) {
        newest = Math.max(newest, made);
        view = apply(view, event);
        const truthNow = server(events, newest);
        expect(truthNow.text.startsWith(view.text) || view.attempt < truthNow.attempt).toBe(true);
        // The answer may be as old as the request; it is asked for again as long as a gap remains.
        if (hasGap(view)) view = applyTail(view, tailFor(view, truthNow));
      }
      const truth = server(events, events.length);
      // The last event itself may have been lost: then the reply is still active, and the tab asks.
      if (isActive(view.status) || view.attempt < truth.attempt) {
        view = applyTail(view, tailFor(view, truth));
      }
      expect(view, `seed ${seed}`).toEqual(truth);
    }
  });

  it('is never changed by an answer that is older than what is already there', () => {
    for (let seed = 0; seed < SEEDS; seed += 1) {
      const pick = random(seed);
      const events = history(pick);
      const truth = events.reduce(apply, UNKNOWN_REPLY);
      const stale = server(events, pick(events.length));
      expect(applyTail(truth, tailFor(UNKNOWN_REPLY, stale)), `seed ${seed}`).toEqual(truth);
    }
  });
});

describe('the rules one by one', () => {
  const streaming: ReplyView = { attempt: 2, text: 'ab', status: 'streaming', expectedLength: 2 };
  const frame = (offset: number, delta: string, attempt = 2) => ({ ...at, attempt, offset, delta });

  it('appends at the equal offset', () => {
    expect(applyDelta(streaming, frame(2, 'cd')).text).toBe('abcd');
  });
  it('drops what it has and slices an overlap', () => {
    expect(applyDelta(streaming, frame(0, 'ab'))).toBe(streaming);
    expect(applyDelta(streaming, frame(1, 'bcd')).text).toBe('abcd');
  });
  it('knows of a gap and closes it with the tail', () => {
    const gap = applyDelta(streaming, frame(4, 'ef'));
    expect(gap.text).toBe('ab');
    expect(hasGap(gap)).toBe(true);
    const closed = applyTail(gap, { ...frame(2, 'cdef'), status: 'streaming' });
    expect(closed.text).toBe('abcdef');
    expect(hasGap(closed)).toBe(false);
  });
  it('counts UTF-16 code units, even when a frame ends inside a character', () => {
    const half = applyDelta(streaming, frame(2, '\ud83c'));
    expect(applyDelta(half, frame(3, '\udf0c')).text).toBe('ab🌌');
  });
  it('starts over for a higher attempt and refuses a lower one', () => {
    expect(applyDelta(streaming, frame(0, 'new', 3)).text).toBe('new');
    expect(applyDelta(streaming, frame(2, 'zombie', 1))).toBe(streaming);
  });
  it('sees that text is missing when the final length is larger', () => {
    const done = applyState(streaming, { ...at, attempt: 2, status: 'complete', length: 5 });
    expect(hasGap(done)).toBe(true);
    expect(applyDelta(done, frame(2, 'cde')).text).toBe('abcde');
  });
  it('keeps exactly what the server kept', () => {
    const cut = applyState(streaming, { ...at, attempt: 2, status: 'interrupted', length: 1 });
    expect(cut.text).toBe('a');
    expect(applyDelta(cut, frame(1, 'b'))).toBe(cut);
  });
  it('is not revived by a late streaming state', () => {
    const done = applyState(streaming, { ...at, attempt: 2, status: 'complete', length: 2 });
    expect(applyState(done, { ...at, attempt: 2, status: 'streaming', length: 0 })).toBe(done);
  });
  it('waits again when it is taken up anew: empty, or with its text', () => {
    const error = { code: 'interrupted', message: 'Cut off.' } as const;
    const cut = applyState(streaming, {
      ...at,
      attempt: 2,
      status: 'interrupted',
      length: 2,
      error,
    });
    expect(cut.error).toEqual(error);
    const queued = { ...at, attempt: 2, status: 'queued' } as const;
    expect(applyState(cut, { ...queued, length: 0 })).toMatchObject({ status: 'queued', text: '' });
    const again = applyState(cut, { ...queued, length: 2 });
    expect(again).toEqual({ attempt: 2, text: 'ab', status: 'queued', expectedLength: 2 });
    expect(applyDelta(again, frame(2, 'late'))).toBe(again);
  });
});
