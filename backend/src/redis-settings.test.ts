import { expect, it } from 'vitest';
import { redisProblems } from './redis-settings.ts';

const problemsOf = (settings: Record<string, string>) =>
  redisProblems(settings).map(({ path, message }) => `${path.join('.')} ${message}`);

const ONE = 'redis://10.0.0.1:6379';
const THREE = 'redis://u:p@10.0.0.1:6379,redis://u:p@10.0.0.2:6379, redis://u:p@10.0.0.3:6379/';

it.each([
  { REDIS_URL: ONE },
  { REDIS_URL: `${ONE}/3` },
  { REDIS_URL: ONE, REDIS_MODE: 'cluster' },
  { REDIS_URL: THREE, REDIS_MODE: 'cluster' },
  { REDIS_URL: THREE, REDIS_MODE: 'sentinel', REDIS_SENTINEL_NAME: 'main' },
])('accepts %o', (settings) => {
  expect(problemsOf(settings)).toEqual([]);
});

it.each([
  [{ REDIS_URL: THREE }, /REDIS_URL names several servers/],
  [
    { REDIS_URL: `${ONE},rediss://10.0.0.2`, REDIS_MODE: 'cluster' },
    /REDIS_URL must have the same/,
  ],
  [
    { REDIS_URL: `${ONE},redis://:p@10.0.0.2`, REDIS_MODE: 'cluster' },
    /REDIS_URL must have the same/,
  ],
  [{ REDIS_URL: `${ONE}/1`, REDIS_MODE: 'cluster' }, /REDIS_URL must not name a database/],
  [{ REDIS_URL: ONE, REDIS_MODE: 'sentinel' }, /REDIS_SENTINEL_NAME must be set/],
  [{ REDIS_URL: ONE, REDIS_SENTINEL_NAME: 'main' }, /REDIS_SENTINEL_NAME is only for/],
  [{ REDIS_URL: ONE, REDIS_SENTINEL_PASSWORD: 'p' }, /REDIS_SENTINEL_PASSWORD is only for/],
] as const)('refuses %o', (settings, problem) => {
  const problems = problemsOf(settings);
  expect(problems).toEqual([expect.stringMatching(problem)]);
  expect(problems.join()).not.toContain(':p@');
});
