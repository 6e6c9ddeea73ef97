import { expect, it } from 'vitest';
import { patternsIn, problemOf } from '../../scripts/check-patterns.mjs';

const SOURCE = String.raw`
const SPACES = '[ \t]*';
const RULE = /^[ \t]*-*[ \t:|-]*-{3,}[ \t:|-]*$/m;
const BUILT = new RegExp(${'`${SPACES}${SPACES}x`'}, 'g');
const of = (name: string) => new RegExp(name);
const FINE = /^[a-z]+$/;
`;

it('finds literals and patterns of constants, and refuses those that take the square of their input', async () => {
  const found = patternsIn('a.ts', SOURCE);
  expect(found.map(({ source, flags, line }) => [source, flags, line])).toEqual([
    [String.raw`^[ \t]*-*[ \t:|-]*-{3,}[ \t:|-]*$`, 'm', 3],
    ['[ \t]*[ \t]*x', 'g', 4],
    ['^[a-z]+$', '', 6],
  ]);
  const problems: (string | undefined)[] = [];
  for (const pattern of found) problems.push(await problemOf(pattern));
  expect(problems).toEqual([
    expect.stringMatching(/polynomial/),
    expect.stringMatching(/polynomial/),
    undefined,
  ]);
});
