import { describe, expect, it } from 'vitest';
import { daysOfPeriod, daysUntilToday } from './days.ts';

const NOW = new Date('2026-11-05T23:30:00.000Z');

describe('the days until today', () => {
  it('begin with the usage period, and those without usage have 0', () => {
    const days = [{ date: '2026-11-03', tokens: 70 }];
    expect(daysUntilToday({ startsAt: '2026-11-02T15:00:00.000Z', days }, NOW)).toEqual([
      { date: '2026-11-02', tokens: 0 },
      { date: '2026-11-03', tokens: 70 },
      { date: '2026-11-04', tokens: 0 },
      { date: '2026-11-05', tokens: 0 },
    ]);
  });

  it('begin with the first use when the period began with the account', () => {
    const days = [{ date: '2026-11-04', tokens: 5 }];
    const all = daysUntilToday({ startsAt: null, days }, NOW);
    expect(all.map(({ date }) => date)).toEqual(['2026-11-04', '2026-11-05']);
  });

  it('are only today before the first use', () => {
    const all = daysUntilToday({ startsAt: null, days: [] }, NOW);
    expect(all).toEqual([{ date: '2026-11-05', tokens: 0 }]);
  });

  it('are only today when this device is behind the server', () => {
    const all = daysUntilToday({ startsAt: '2026-11-06T00:10:00.000Z', days: [] }, NOW);
    expect(all).toHaveLength(1);
  });

  it('cross the end of summer time without a gap', () => {
    const all = daysUntilToday({ startsAt: '2026-10-24T00:00:00.000Z', days: [] }, NOW);
    expect(all).toHaveLength(13);
    expect(new Set(all.map(({ date }) => date)).size).toBe(13);
  });
});

describe('the length of a usage period', () => {
  it('is that of its month', () => {
    const period = { startsAt: '2026-11-02T15:00:00.000Z', resetsAt: '2026-12-02T15:00:00.000Z' };
    expect(daysOfPeriod(period, 4)).toBe(30);
  });

  it('is the elapsed time when it has no end', () => {
    expect(daysOfPeriod({ startsAt: null, resetsAt: null }, 4)).toBe(4);
  });
});
