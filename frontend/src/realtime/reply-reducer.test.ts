import {
  authorOf,
  type DeltaText,
  isActive,
  type ReplyDelta,
  type ReplyPart,
  type ReplyState,
  type ReplyTail,
} from '@stolas/backend/contract';
import { describe, expect, it } from 'vitest';
import {
  applyDelta,
  applySnapshot,
  applyState,
  applyTail,
  contentOf,
  cutParts,
  hasGap,
  lengthOf,
  type ReplyView,
  UNKNOWN_REPLY,
} from './reply-reducer.ts';

const SEEDS = 1_000;
const at = { replyId: 'r1', conversationId: 'c1' };

type Pushed = { delta: ReplyDelta } | { state: ReplyState };

/** mulberry32: a small generator with a sequence determined by the seed. */
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
  'delta' in pushed ? applyDelta(view, pushed.delta) : applyState(view, pushed.state);

const WORDS = ['a', 'night ', '🌌', 'ß', '\n\n', '```ts\n', 'e\u0301', 'סטולס '];

/** Zero to three parts, of one author or of a panel; reasoning and text alternate. */
function someParts(pick: (below: number) => number): ReplyPart[] {
  const first = pick(2);
  const isPanel = pick(2) === 1;
  return Array.from({ length: pick(4) }, (_, part) => ({
    type: (part + first) % 2 === 0 ? ('reasoning' as const) : ('text' as const),
    ...(isPanel && { personaId: `p${part}`, personaName: `Member ${part}` }),
    text: Array.from({ length: 1 + pick(12) }, () => WORDS[pick(WORDS.length)]).join(''),
  }));
}

/** The parts from `offset` on, cut into deltas of one to nine code units: also inside a character. */
function deltasOf(parts: readonly ReplyPart[], offset = 0, size = () => 1e9): DeltaText[] {
  const deltas: DeltaText[] = [];
  let start = 0;
  for (const [part, { text, ...kind }] of parts.entries()) {
    let at = Math.max(0, offset - start);
    while (at < text.length) {
      const delta = text.slice(at, at + size());
      deltas.push({ part, ...kind, offset: start + at, delta });
      at += delta.length;
    }
    start += text.length;
  }
  return deltas;
}

/** One to three attempts, each cut into deltas; the last one reaches a terminal state. */
function history(pick: (below: number) => number): Pushed[] {
  const attempts = 1 + pick(3);
  const all: Pushed[] = [];
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    all.push({ state: { ...at, attempt, status: 'streaming', length: 0 } });
    const parts = someParts(pick);
    for (const delta of deltasOf(parts, 0, () => 1 + pick(9))) {
      all.push({ delta: { ...at, attempt, ...delta } });
    }
    const last = attempt === attempts;
    const status = last ? (['complete', 'stopped', 'failed'] as const)[pick(3)] : 'interrupted';
    if (status) all.push({ state: { ...at, attempt, status, length: lengthOf(parts) } });
  }
  return all;
}

/** What the server has stored after the first `count` events: it never misses one. */
function server(events: Pushed[], count: number): ReplyView {
  let attempt = 0;
  let parts: ReplyPart[] = [];
  let status: ReplyView['status'] = 'queued';
  for (const event of events.slice(0, count)) {
    if ('delta' in event) {
      const { part, type, delta } = event.delta;
      parts = parts.slice();
      const text = (parts[part]?.text ?? '') + delta;
      parts[part] = { type, text, ...authorOf(event.delta) };
    } else {
      if (event.state.attempt > attempt) parts = [];
      attempt = event.state.attempt;
      status = event.state.status;
    }
  }
  const length = lengthOf(parts);
  return { attempt, parts, length, status, expectedLength: length };
}

function tailFor(view: ReplyView, truth: ReplyView): ReplyTail {
  const offset = truth.attempt === view.attempt ? Math.min(view.length, truth.length) : 0;
  const { attempt, status, length } = truth;
  return { ...at, attempt, offset, length, status, deltas: deltasOf(truth.parts, offset) };
}

const isPrefix = (view: ReplyView, truth: ReplyView) =>
  JSON.stringify(cutParts(truth.parts, view.length)) === JSON.stringify(view.parts);

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

describe('a reply assembled from pushed events', () => {
  it('is complete for every cut: a snapshot of the first k events, then the rest', () => {
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
          siblingIds: [],
          createdAt: '',
          content: contentOf(then.parts),
          parts: [...then.parts],
          attempt: then.attempt,
          status: then.status,
        });
        const rest = events.slice(Math.max(0, k - 3)).reduce(apply, snapshot);
        expect(rest, `seed ${seed}, cut ${k}`).toEqual(truth);
      }
    }
  });

  it('fault 7: is complete after drops, duplicates and reorderings, once the tail was read', () => {
    for (let seed = 0; seed < SEEDS; seed += 1) {
      const pick = random(seed);
      const events = history(pick);
      let view = UNKNOWN_REPLY;
      let newest = 0;
      for (const { event, made } of disturb(events, pick)) {
        newest = Math.max(newest, made);
        view = apply(view, event);
        const truthNow = server(events, newest);
        expect(isPrefix(view, truthNow) || view.attempt < truthNow.attempt).toBe(true);
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

  it('is not changed by an answer that is older than its state', () => {
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
  const text = (content: string) => [{ type: 'text' as const, text: content }];
  const streaming: ReplyView = {
    attempt: 2,
    parts: text('ab'),
    length: 2,
    status: 'streaming',
    expectedLength: 2,
  };
  const delta = (offset: number, piece: string, more: Partial<ReplyDelta> = {}): ReplyDelta => ({
    ...at,
    attempt: 2,
    part: 0,
    type: 'text',
    offset,
    delta: piece,
    ...more,
  });
  const state = (status: ReplyState['status'], length: number): ReplyState => ({
    ...at,
    attempt: 2,
    status,
    length,
  });

  it('appends at the equal offset', () => {
    expect(applyDelta(streaming, delta(2, 'cd')).parts).toEqual(text('abcd'));
  });
  it('drops what it has and slices an overlap', () => {
    expect(applyDelta(streaming, delta(0, 'ab'))).toBe(streaming);
    expect(applyDelta(streaming, delta(1, 'bcd')).parts).toEqual(text('abcd'));
  });
  it('detects a gap and closes it with the tail', () => {
    const gap = applyDelta(streaming, delta(4, 'ef'));
    expect(gap.parts).toEqual(text('ab'));
    expect(hasGap(gap)).toBe(true);
    const closed = applyTail(gap, {
      ...state('streaming', 6),
      offset: 2,
      deltas: [delta(2, 'cdef')],
    });
    expect(closed.parts).toEqual(text('abcdef'));
    expect(hasGap(closed)).toBe(false);
  });
  it('begins a part where the one before ends', () => {
    const next = applyDelta(streaming, delta(2, 'Hm', { part: 1, type: 'reasoning' }));
    expect(next.parts).toEqual([...text('ab'), { type: 'reasoning', text: 'Hm' }]);
    expect(next.length).toBe(4);
    expect(contentOf(next.parts)).toBe('ab');
  });
  it('counts UTF-16 code units, even when a delta ends inside a character', () => {
    const half = applyDelta(streaming, delta(2, '\ud83c'));
    expect(applyDelta(half, delta(3, '\udf0c')).parts).toEqual(text('ab🌌'));
  });
  it('starts over for a higher attempt and refuses a lower one', () => {
    expect(applyDelta(streaming, delta(0, 'new', { attempt: 3 })).parts).toEqual(text('new'));
    expect(applyDelta(streaming, delta(2, 'late', { attempt: 1 }))).toBe(streaming);
  });
  it('sees that text is missing when the final length is larger', () => {
    const done = applyState(streaming, state('complete', 5));
    expect(hasGap(done)).toBe(true);
    expect(applyDelta(done, delta(2, 'cde')).parts).toEqual(text('abcde'));
  });
  it('keeps exactly what the server kept, over parts', () => {
    const cut = applyState(streaming, state('interrupted', 1));
    expect(cut.parts).toEqual(text('a'));
    expect(applyDelta(cut, delta(1, 'b'))).toBe(cut);
    const two = applyDelta(streaming, delta(2, 'cd', { part: 1, type: 'reasoning' }));
    expect(applyState(two, state('stopped', 2)).parts).toEqual(text('ab'));
  });
  it('is not made active by a late streaming state', () => {
    const done = applyState(streaming, state('complete', 2));
    expect(applyState(done, { ...state('streaming', 0) })).toBe(done);
  });
  it('is queued again with its text when it is continued', () => {
    const error = { code: 'interrupted', message: 'Cut off.' } as const;
    const cut = applyState(streaming, { ...state('interrupted', 2), error });
    expect(cut.error).toEqual(error);
    const again = applyState(cut, state('queued', 2));
    expect(again).toEqual({ ...streaming, status: 'queued' });
    const full = applyState(streaming, { ...state('complete', 2), ending: 'length' });
    expect(full.ending).toBe('length');
    expect(applyState(full, state('queued', 2))).toEqual(again);
    expect(applyDelta(again, delta(2, 'late'))).toBe(again);
  });
});

describe('the position in the queue', () => {
  const queued = { ...at, attempt: 0, status: 'queued', length: 0 } as const;
  const waiting = applyState(UNKNOWN_REPLY, { ...queued, ahead: 3 });
  const tail = { ...queued, offset: 0, deltas: [] };

  it('follows pushed and read states', () => {
    expect(waiting.ahead).toBe(3);
    expect(applyState(waiting, { ...queued, ahead: 0 }).ahead).toBe(0);
    expect(applyTail(waiting, { ...tail, ahead: 1 }).ahead).toBe(1);
  });

  it('stays when the reply is read without it', () => {
    expect(applyTail(waiting, tail)).toBe(waiting);
  });

  it('ends with the start of an attempt, with its first text, and with the reply', () => {
    const started = applyState(waiting, { ...queued, attempt: 1, status: 'streaming' });
    const delta = { ...at, attempt: 1, part: 0, type: 'text', offset: 0, delta: 'a' } as const;
    const stopped = applyState(waiting, { ...queued, status: 'stopped' });
    const read = applyTail(waiting, { ...tail, status: 'stopped' });
    for (const view of [started, applyDelta(waiting, delta), stopped, read])
      expect(view).not.toHaveProperty('ahead');
  });

  it('belongs to no reply that is not queued', () => {
    const view = applyState(UNKNOWN_REPLY, { ...queued, status: 'stopped', ahead: 2 });
    expect(view).not.toHaveProperty('ahead');
  });
});
