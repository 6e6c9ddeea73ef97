import { expect, it } from 'vitest';
import { audienceOf, mayAccess, requireAccess, requireRegistered } from './index.ts';

const record = { ownerId: 'a', text: 'mine' };

it("gives the owner's record to the owner and to nobody else", () => {
  expect(requireAccess({ userId: 'a' }, record, 'conversation')).toBe(record);
  expect(mayAccess({ userId: 'a' }, record)).toBe(true);
  expect(mayAccess({ userId: 'b' }, record)).toBe(false);
});

it("answers the same for somebody else's record as for none", () => {
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

it('refuses guests what needs an account', () => {
  expect(() => requireRegistered({ isGuest: true })).toThrow(
    expect.objectContaining({ code: 'forbidden' }),
  );
  expect(() => requireRegistered({ isGuest: false })).not.toThrow();
});

it('tells the owner of a conversation only', () => {
  expect(audienceOf(record)).toEqual(['a']);
});
