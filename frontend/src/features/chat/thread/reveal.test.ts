import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Reveal, type RevealTarget } from './reveal.ts';

const target = (text: string, more: Partial<RevealTarget> = {}): RevealTarget => ({
  text,
  attempt: 1,
  ended: false,
  ...more,
});

const onStep = vi.fn<() => void>();
const start = (text = '', isAnimated = () => true) =>
  new Reveal(target(text), { onStep, isAnimated, now: () => performance.now() });

/** Grows a text by `chunk` every `gap` ms. @returns the shown text right after each chunk */
function stream(reveal: Reveal, { chunks, gap }: { chunks: number; gap: number }) {
  const chunk = 'x'.repeat(50);
  return Array.from({ length: chunks }, (_, n) => {
    if (n > 0) vi.advanceTimersByTime(gap);
    reveal.aim(target(chunk.repeat(n + 1)));
    return reveal.shown;
  });
}

describe('revealing text', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onStep.mockReset();
  });
  afterEach(() => void vi.useRealTimers());

  it('shows the initial text at once', () => {
    expect(start('history').shown).toBe(7);
  });

  it('shows fast chunks as they arrive, with one render each', () => {
    expect(stream(start(), { chunks: 5, gap: 40 })).toEqual([50, 100, 150, 200, 250]);
    vi.advanceTimersByTime(1_000);
    expect(onStep).not.toHaveBeenCalled();
  });

  it('does not slow down for one slow chunk among fast ones', () => {
    const reveal = start();
    stream(reveal, { chunks: 5, gap: 40 });
    vi.advanceTimersByTime(300);
    reveal.aim(target('x'.repeat(300)));
    expect(reveal.shown).toBe(300);
  });

  it('spreads slow chunks over the measured gap', () => {
    const reveal = start();
    const shown = stream(reveal, { chunks: 5, gap: 240 });
    const [, , third = 0, fourth = 0] = shown;
    expect(third).toBeGreaterThan(100);
    expect(third).toBeLessThan(120);
    expect(fourth).toBeGreaterThan(150);
    const steps = [reveal.shown];
    for (let passed = 0; passed < 240; passed += 20) {
      vi.advanceTimersByTime(20);
      steps.push(reveal.shown);
    }
    const sizes = steps.slice(1).map((count, n) => count - (steps[n] ?? 0));
    expect(Math.max(...sizes)).toBeLessThanOrEqual(6);
    expect(reveal.shown).toBe(250);
  });

  it('is never more than a second behind', () => {
    const reveal = start();
    stream(reveal, { chunks: 4, gap: 3_000 });
    expect(reveal.shown).toBeLessThan(200);
    vi.advanceTimersByTime(1_000);
    expect(reveal.shown).toBe(200);
  });

  it('types a short reply that arrives whole one character per step of 20 ms', () => {
    const reveal = start();
    reveal.aim(target('Vega.', { ended: true }));
    const shown = [reveal.shown];
    for (let n = 0; n < 4; n += 1) {
      vi.advanceTimersByTime(20);
      shown.push(reveal.shown);
    }
    expect(shown).toEqual([1, 2, 3, 4, 5]);
  });

  it('is done within 3 s with a long reply that arrives whole, and not much sooner', () => {
    const reveal = start();
    const text = 'star '.repeat(8_000);
    reveal.aim(target(text, { ended: true }));
    vi.advanceTimersByTime(2_800);
    expect(reveal.shown).toBeLessThan(text.length);
    vi.advanceTimersByTime(200);
    expect(reveal.shown).toBe(text.length);
  });

  it('never shows half of a character', () => {
    const reveal = start();
    const text = '🌌🌠⭐🌙';
    reveal.aim(target(text, { ended: true }));
    for (let n = 0; n < 10; n += 1) {
      expect(text.slice(0, reveal.shown)).not.toMatch(/[\ud800-\udbff]$/);
      vi.advanceTimersByTime(20);
    }
    expect(reveal.shown).toBe(text.length);
  });

  it('starts over with another attempt, unless that one continues the shown text', () => {
    const reveal = start('Old text');
    reveal.aim(target('', { attempt: 2 }));
    expect(reveal.shown).toBe(0);
    reveal.aim(target('New', { attempt: 2 }));
    reveal.aim(target('New and more', { attempt: 3 }));
    expect(reveal.shown).toBeGreaterThanOrEqual(3);
  });

  it('does not animate in a hidden tab or with reduced motion', () => {
    const reveal = start('', () => false);
    reveal.aim(target('All of it', { ended: true }));
    expect(reveal.shown).toBe(9);
  });
});
