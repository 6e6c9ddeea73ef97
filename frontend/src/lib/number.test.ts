import { describe, expect, it, vi } from 'vitest';
import { inGerman } from '../i18n/german.fixture.ts';
import { formatCompact, formatNumber, formatPercent, percentOf } from './number.ts';

it('groups the digits of a number', () => {
  expect(formatNumber(3_000_000)).toBe('3,000,000');
  expect(formatCompact(50_000)).toBe('50K');
});

it.each([
  [0, 100, 0],
  [29, 100, 29],
  [199_999, 200_000, 99],
  [200_000, 200_000, 100],
  [203_000, 200_000, 100],
  [0, 0, 100],
])('%d of %d is %d percent', (used, limit, percent) => {
  expect(percentOf({ used, limit })).toBe(percent);
});

it('writes percent without a fraction', () => {
  expect(formatPercent(85)).toBe('85%');
});

it('is English within English, whatever else the browser speaks', () => {
  vi.spyOn(navigator, 'languages', 'get').mockReturnValue(['de-DE', 'en-US']);
  expect(formatNumber(200_000)).toBe('200,000');
  expect(formatPercent(85)).toBe('85%');
});

describe('in German', () => {
  inGerman();

  it('groups by points, and sets the sign of percent apart', () => {
    expect(formatNumber(200_000)).toBe('200.000');
    expect(formatCompact(3_000_000)).toBe('3\u00A0Mio.');
    expect(formatPercent(85)).toBe('85\u00A0%');
  });

  it('follows the region of the browser where it speaks German, too', () => {
    vi.spyOn(navigator, 'languages', 'get').mockReturnValue(['en-GB', 'de-CH']);
    expect(formatNumber(200_000)).toBe((200_000).toLocaleString('de-CH'));
    expect(formatNumber(200_000)).not.toBe('200.000');
  });
});
