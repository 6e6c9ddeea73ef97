import { expect, it } from 'vitest';
import { authenticatedAt } from './authentication.ts';

const MINUTE_MS = 60_000;
const seconds = (ms: number) => Math.floor(ms / 1_000);

it('a provider that reports the time but leaves it out was not asked for a new sign-in', () => {
  const provider = { claims_supported: ['sub', 'auth_time'] };
  expect(authenticatedAt({}, { again: true, provider })).toBeNull();
  expect(
    authenticatedAt({}, { again: true, provider: { claims_supported: ['sub'] } }),
  ).not.toBeNull();
});

it('a time in the future counts as now', () => {
  const ahead = { auth_time: seconds(Date.now() + 60 * MINUTE_MS) };
  const at = authenticatedAt(ahead, { again: true })?.getTime();
  expect(at).toBeLessThanOrEqual(Date.now());
});

it('a time that is not a number is ignored', () => {
  expect(authenticatedAt({ auth_time: 'now' }, { again: false })).toBeNull();
  expect(authenticatedAt(undefined, { again: false })).toBeNull();
});
