import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Reveal } from './reveal.ts';

const animated = { isAnimated: () => true };
const target = (text: string, more: { attempt?: number; ended?: boolean } = {}) => ({
  text,
  attempt: 1,
  ended: false,
  ...more,
});

/** What is on screen after each step, starting at once. */
function typed(reveal: Reveal, steps: number): string[] {
  const seen = [reveal.shown()];
  for (let i = 0; i < steps; i += 1) {
    vi.advanceTimersByTime(20);
    seen.push(reveal.shown());
  }
  return seen;
}

describe('typing out', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('shows at once what is there from the beginning', () => {
    expect(new Reveal(target('history'), animated).shown()).toBe('history');
  });

  it('shows half of a live piece at once and all of it 20 ms later', () => {
    const reveal = new Reveal(target(''), animated);
    reveal.aim(target('a'.repeat(50)));
    expect(typed(reveal, 1).map(({ length }) => length)).toEqual([25, 50]);
  });

  it('types a short reply that arrives whole one character a step', () => {
    const reveal = new Reveal(target(''), animated);
    reveal.aim(target('Vega.', { ended: true }));
    expect(typed(reveal, 4)).toEqual(['V', 'Ve', 'Veg', 'Vega', 'Vega.']);
  });

  it('is done within 3 s with a long reply that arrives whole, and not much sooner', () => {
    const reveal = new Reveal(target(''), animated);
    const text = 'star '.repeat(8_000);
    reveal.aim(target(text, { ended: true }));
    vi.advanceTimersByTime(2_900);
    expect(reveal.shown().length).toBeLessThan(text.length);
    vi.advanceTimersByTime(100);
    expect(reveal.shown()).toBe(text);
  });

  it('is never more than a second behind, also when more comes meanwhile', () => {
    const reveal = new Reveal(target(''), animated);
    const first = 'a'.repeat(5_000);
    reveal.aim(target(first));
    let text = first;
    for (let passed = 0; passed < 1_000; passed += 40) {
      vi.advanceTimersByTime(40);
      text += 'b'.repeat(50);
      reveal.aim(target(text));
    }
    expect(reveal.shown().startsWith(first)).toBe(true);
    vi.advanceTimersByTime(40);
    expect(reveal.shown()).toBe(text);
  });

  it('never shows half of a character', () => {
    const reveal = new Reveal(target(''), animated);
    reveal.aim(target('🌌🌠⭐🌙', { ended: true }));
    for (const seen of typed(reveal, 8)) expect(seen).not.toMatch(/[\ud800-\udbff]$/);
    expect(reveal.shown()).toBe('🌌🌠⭐🌙');
  });

  it('begins anew with another attempt, unless that one goes on from what is shown', () => {
    const reveal = new Reveal(target('Old text'), animated);
    reveal.aim(target('', { attempt: 2 }));
    expect(reveal.shown()).toBe('');
    reveal.aim(target('New', { attempt: 2 }));
    vi.advanceTimersByTime(40);
    reveal.aim(target('New and more', { attempt: 3 }));
    expect(reveal.shown().startsWith('New')).toBe(true);
  });

  it('does not move where nobody looks or nobody wants it', () => {
    const reveal = new Reveal(target(''), { isAnimated: () => false });
    reveal.aim(target('All of it', { ended: true }));
    expect(reveal.shown()).toBe('All of it');
  });
});
