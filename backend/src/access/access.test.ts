import { expect, it } from 'vitest';
import { audienceOf, mayAccess, requireAccess, requireRegistered } from './index.ts';

const record = { ownerId: 'a', text: 'mine' };

it('gives a record to its owner only', () => {
  expect(requireAccess({ userId: 'a' }, record, 'conversation')).toBe(record);
  expect(mayAccess({ userId: 'a' }, record)).toBe(true);
  expect(mayAccess({ userId: 'b' }, record)).toBe(false);
});

it("answers the same for another user's record and for a missing one", () => {
  const refusalOf = (found: typeof record | null) => {
    try {
      requireAccess({ userId: 'b' }, found, 'conversation');
      return null;
    } catch (error) {
      return error;
    }
  };
  expect(refusalOf(record)).toMatchObject({ code: 'not_found' });
  expect(refusalOf(record)).toEqual(refusalOf(null));
});

it('refuses guests actions that need an account', () => {
  expect(() => requireRegistered({ isGuest: true })).toThrow(
    expect.objectContaining({ code: 'forbidden' }),
  );
  expect(() => requireRegistered({ isGuest: false })).not.toThrow();
});

it('names only the owner as the audience of a conversation', () => {
  expect(audienceOf(record)).toEqual(['a']);
});
