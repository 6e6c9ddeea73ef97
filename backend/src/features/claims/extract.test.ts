import { expect, it } from 'vitest';
import { claimsOf } from './extract.ts';
import { sentencesOf } from './sentences.ts';

const claimOf = (text: string) => ({
  id: 'c',
  sentence: 1,
  text,
  checkable: true,
  reason: '',
});

it('replaces a claim with a number or a name that its sentence does not have by the sentence', async () => {
  const sentences = sentencesOf('The rent is 900 euros.');
  const texts = async (text: string) =>
    (await claimsOf({ claims: [claimOf(text)] }, sentences)).map((claim) => claim.text);
  expect(await texts('Rent: 900 euros.')).toEqual(['Rent: 900 euros.']);
  expect(await texts('The rent is 950 euros.')).toEqual(['The rent is 900 euros.']);
  expect(await texts('The rent of Anna is 900 euros.')).toEqual(['The rent is 900 euros.']);
});

it('gives other work a turn for each claim, however many there are of one sentence', async () => {
  const claims = Array.from({ length: 200 }, (_, n) => claimOf(`The rate is ${n}.`));
  const sentences = sentencesOf(`The rates are ${'1. '.repeat(10_000)}`);
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  await claimsOf({ claims }, sentences);
  isDone = true;
  expect(turns).toBeGreaterThanOrEqual(claims.length - 1);
});
