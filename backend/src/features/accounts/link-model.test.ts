import { expect, it } from 'vitest';
import { accountsUnderTest, MINUTE } from './accounts.fixture.ts';
import type { LinkPurpose } from './link-model.ts';

const test = accountsUnderTest();
const store = () => test.accounts.links;
const ADA = 'a'.repeat(24);
const BOB = 'b'.repeat(24);
const EXPIRES_AT = new Date(Date.now() + 60 * MINUTE);
const make = (userId: string, tokenHash: string, purpose: LinkPurpose = 'reset') =>
  store().replace({ userId, email: 'x@example.com', tokenHash, purpose, expiresAt: EXPIRES_AT });
const find = async (tokenHash: string, purpose: LinkPurpose = 'reset', now = new Date()) =>
  (await store().find({ tokenHash, purpose, now }))?.userId;

it('a link is found by its token and purpose until it expires', async () => {
  await make(ADA, 'ada');
  await make(BOB, 'bob');
  expect(await find('bob')).toBe(BOB);
  expect(await find('none')).toBeUndefined();
  expect(await find('bob', 'confirm')).toBeUndefined();
  expect(await find('bob', 'reset', EXPIRES_AT)).toBeUndefined();
});

it('a link is taken once', async () => {
  await make(ADA, 'ada');
  const lookup = { tokenHash: 'ada', purpose: 'reset' as const, now: new Date() };
  const takes = await Promise.all([1, 2, 3].map(() => store().take(lookup)));
  expect(takes.filter(Boolean)).toHaveLength(1);
});

it("a new link ends the account's earlier ones of its purpose, and no other", async () => {
  await make(ADA, 'first');
  await make(ADA, 'other purpose', 'confirm');
  await make(BOB, 'bob');
  await make(ADA, 'second');
  expect(await find('first')).toBeUndefined();
  expect(await find('second')).toBe(ADA);
  expect(await find('other purpose', 'confirm')).toBe(ADA);
  expect(await find('bob')).toBe(BOB);
});

it("removing an account's links removes no other's", async () => {
  await make(ADA, 'ada');
  await make(BOB, 'bob');
  await store().removeAllOf(ADA);
  expect([await find('ada'), await find('bob')]).toEqual([undefined, BOB]);
});

it('a token belongs to one link', async () => {
  await make(ADA, 'same');
  await expect(make(BOB, 'same')).rejects.toThrow('E11000');
});
