import { describe, expect, it, vi } from 'vitest';
import { inGerman } from '../i18n/german.fixture.ts';
import { formatAgo, formatDate, formatDay, formatShortDay, formatTime } from './time.ts';

const now = new Date(2026, 10, 21, 0, 30);
const at = (...date: [number, number, number, number?]) => new Date(...date).toISOString();

it('shows hours and minutes', () => {
  expect(formatTime(new Date(2026, 0, 5, 9, 7).toISOString())).toMatch(/^09:07/);
});

it('writes a time that cannot be read as such', () => {
  expect(formatTime('x')).toBe('Invalid Date');
});

it.each([
  [at(2026, 10, 21), 'Today'],
  [at(2026, 10, 20, 23), 'Yesterday'],
  [at(2026, 10, 15, 12), 'Sunday'],
])('names a recent day: %s is %s', (iso, name) => {
  expect(formatDate(iso, now)).toBe(name);
});

it('shows a date beyond a week, with the year only when it is another', () => {
  expect(formatDate(at(2026, 10, 14), now)).toMatch(/14/);
  expect(formatDate(at(2026, 10, 14), now)).not.toMatch(/2026/);
  expect(formatDate(at(2025, 10, 14), now)).toMatch(/2025/);
});

it.each([
  [0, 'just now'],
  [59_000, 'just now'],
  [61_000, '1 minute ago'],
  [59 * 60_000, '59 minutes ago'],
  [3 * 3_600_000 + 1, '3 hours ago'],
  [47 * 3_600_000, '1 day ago'],
  [12 * 86_400_000, '12 days ago'],
])('says how long ago something was: %i ms are %s', (ms, words) => {
  const now = new Date('2026-03-01T12:00:00Z');
  expect(formatAgo(new Date(now.getTime() - ms).toISOString(), now)).toBe(words);
});

it('is English within English, whatever else the browser speaks', () => {
  vi.spyOn(navigator, 'languages', 'get').mockReturnValue(['de-DE', 'en-GB']);
  expect(formatDate(at(2026, 10, 15, 12), now)).toBe('Sunday');
  expect(formatDay(at(2026, 11, 3))).toBe('3 December 2026');
});

describe('in German', () => {
  inGerman();

  it('names days and dates', () => {
    expect(formatDate(at(2026, 10, 21), now)).toBe('Heute');
    expect(formatDate(at(2026, 10, 20, 23), now)).toBe('Gestern');
    expect(formatDate(at(2026, 10, 15, 12), now)).toBe('Sonntag');
    expect(formatDay(at(2026, 11, 3))).toBe('3. Dezember 2026');
    expect(formatShortDay('2026-12-01T00:00:00Z', 'UTC')).toBe('1. Dez.');
    expect(formatTime(at(2026, 0, 5, 14))).toBe('14:00');
  });

  it('says how long ago something was', () => {
    const ago = (ms: number) => formatAgo(new Date(now.getTime() - ms).toISOString(), now);
    expect(ago(0)).toBe('gerade eben');
    expect(ago(3 * 3_600_000)).toBe('vor 3 Stunden');
  });
});
