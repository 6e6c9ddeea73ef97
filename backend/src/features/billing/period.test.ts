import { describe, expect, it } from 'vitest';
import { monthlyPeriod } from './period.ts';

const period = (startedAt: string, now: string) => {
  const { startsAt, endsAt } = monthlyPeriod({
    startedAt: new Date(startedAt),
    now: new Date(now),
  });
  return [startsAt?.toISOString(), endsAt?.toISOString()];
};

describe('the usage period of a subscription', () => {
  it.each([
    ['the first month', '2026-01-15T10:00:00Z', '2026-01-15T10:00:00Z', '01-15', '02-15'],
    [
      'up to its last millisecond',
      '2026-01-15T10:00:00Z',
      '2026-02-15T09:59:59.999Z',
      '01-15',
      '02-15',
    ],
    ['from its first instant', '2026-01-15T10:00:00Z', '2026-02-15T10:00:00Z', '02-15', '03-15'],
    ['the 31st in February', '2026-01-31T10:00:00Z', '2026-02-28T10:00:00Z', '02-28', '03-31'],
    [
      'the 31st before the last day',
      '2026-01-31T10:00:00Z',
      '2026-02-28T09:59:59Z',
      '01-31',
      '02-28',
    ],
    [
      'the 31st after a short month',
      '2026-01-31T10:00:00Z',
      '2026-04-01T00:00:00Z',
      '03-31',
      '04-30',
    ],
    ['before the start', '2026-05-10T10:00:00Z', '2026-05-10T09:00:00Z', '05-10', '06-10'],
    ['long before the start', '2026-05-10T10:00:00Z', '2025-01-01T00:00:00Z', '05-10', '06-10'],
  ])('%s', (_name, startedAt, now, starts, ends) => {
    expect(period(startedAt, now)).toEqual([
      `2026-${starts}T10:00:00.000Z`,
      `2026-${ends}T10:00:00.000Z`,
    ]);
  });

  it('begins on leap day only in leap years', () => {
    expect(period('2024-02-29T00:00:00Z', '2025-03-01T00:00:00Z')).toEqual([
      '2025-02-28T00:00:00.000Z',
      '2025-03-29T00:00:00.000Z',
    ]);
    expect(period('2024-02-29T00:00:00Z', '2028-02-29T00:00:00Z')).toEqual([
      '2028-02-29T00:00:00.000Z',
      '2028-03-29T00:00:00.000Z',
    ]);
    expect(period('2024-01-31T00:00:00Z', '2024-02-29T12:00:00Z')).toEqual([
      '2024-02-29T00:00:00.000Z',
      '2024-03-31T00:00:00.000Z',
    ]);
  });

  it('crosses the year', () => {
    expect(period('2025-12-31T23:59:59Z', '2026-01-31T23:59:58Z')).toEqual([
      '2025-12-31T23:59:59.000Z',
      '2026-01-31T23:59:59.000Z',
    ]);
  });

  it('is counted in UTC on any server', () => {
    const zone = process.env.TZ;
    try {
      for (const name of ['Pacific/Kiritimati', 'Pacific/Pago_Pago', 'Europe/Berlin']) {
        process.env.TZ = name;
        expect(period('2026-01-31T23:30:00Z', '2026-03-30T12:00:00Z')).toEqual([
          '2026-02-28T23:30:00.000Z',
          '2026-03-31T23:30:00.000Z',
        ]);
      }
    } finally {
      if (zone === undefined) delete process.env.TZ;
      else process.env.TZ = zone;
    }
  });

  it('has no gap and no overlap, and a separate id each month', () => {
    const startedAt = new Date('2023-10-31T17:45:12.345Z');
    const ids = new Set<string>();
    let now = startedAt;
    for (let month = 0; month < 60; month += 1) {
      const { id, startsAt, endsAt } = monthlyPeriod({ startedAt, now });
      expect(startsAt).toEqual(now);
      const last = new Date((endsAt?.getTime() ?? 0) - 1);
      expect(monthlyPeriod({ startedAt, now: last }).id).toBe(id);
      ids.add(id);
      now = endsAt ?? now;
    }
    expect(ids.size).toBe(60);
    expect(now.toISOString()).toBe('2028-10-31T17:45:12.345Z');
  });
});
