import { expect, it } from 'vitest';
import { createSessionOwners } from './session-owners.ts';

it('knows the owner of a token until it is told to forget', () => {
  const owners = createSessionOwners();
  owners.know('hash', 'ada');
  expect(owners.of('hash')).toBe('ada');
  owners.forget('hash');
  expect(owners.of('hash')).toBeUndefined();
});

it('forgets the token that was used longest ago when there are too many', () => {
  const owners = createSessionOwners(2);
  owners.know('first', 'ada');
  owners.know('second', 'ben');
  owners.know('first', 'ada');
  owners.know('third', 'cleo');
  expect(['first', 'second', 'third'].map(owners.of)).toEqual(['ada', undefined, 'cleo']);
});
