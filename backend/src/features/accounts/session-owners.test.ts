import { expect, it } from 'vitest';
import { createSessionOwners } from './session-owners.ts';

it('knows the owner of a token until it is removed', () => {
  const owners = createSessionOwners();
  owners.know('hash', 'ada');
  expect(owners.of('hash')).toBe('ada');
  owners.forget('hash');
  expect(owners.of('hash')).toBeUndefined();
});

it('drops the least recently used token above the limit', () => {
  const owners = createSessionOwners(2);
  owners.know('first', 'ada');
  owners.know('second', 'ben');
  owners.know('first', 'ada');
  owners.know('third', 'cleo');
  expect(['first', 'second', 'third'].map(owners.of)).toEqual(['ada', undefined, 'cleo']);
});
