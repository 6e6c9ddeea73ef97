import { describe, expect, it } from 'vitest';
import { can, needsRole, requireCan, requireRegistered, roleIn } from './index.ts';

const WORKSPACE = 'w';
const record = {
  ownerId: 'a',
  grants: [
    { principal: 'user:b', role: 'editor' as const },
    { principal: `workspace:${WORKSPACE}`, role: 'manager' as const },
  ],
};
const member = (userId: string, mayWrite: boolean) => ({
  userId,
  workspaces: [{ workspaceId: WORKSPACE, mayWrite }],
});

describe('a record', () => {
  it('gives each reader a role: the most that one of the grants gives', () => {
    expect(roleIn({ userId: 'a' }, record)).toBe('owner');
    expect(roleIn({ userId: 'b' }, record)).toBe('editor');
    expect(roleIn({ userId: 'c' }, record)).toBeNull();
    expect(roleIn(member('b', true), record)).toBe('manager');
    expect(roleIn(member('c', true), record)).toBe('manager');
  });

  it('gives a viewer of the workspace, and members of a read-only one, no more than reading by it', () => {
    expect(roleIn(member('c', false), record)).toBe('viewer');
    expect(roleIn(member('b', false), record)).toBe('editor');
  });

  it('gives nothing to members of another workspace, nor to a user with the id of a workspace', () => {
    const other = { userId: 'c', workspaces: [{ workspaceId: 'x', mayWrite: true }] };
    expect(roleIn(other, record)).toBeNull();
    expect(roleIn({ userId: WORKSPACE }, record)).toBeNull();
  });

  it.each([
    ['viewer', [true, false, false]],
    ['editor', [true, true, false]],
    ['manager', [true, true, true]],
  ] as const)('lets a %s read, write and manage it: %j', (role, allowed) => {
    const shared = { ownerId: 'a', grants: [{ principal: 'user:b', role }] };
    const actions = ['read', 'write', 'manage'] as const;
    expect(actions.map((action) => can({ userId: 'b' }, action, shared))).toEqual(allowed);
    expect(actions.every((action) => can({ userId: 'a' }, action, shared))).toBe(true);
  });
});

describe('a refusal', () => {
  const refusalOf = (userId: string, found: typeof record | null) => {
    try {
      requireCan({ userId }, 'manage', { record: found, what: 'conversation' });
      return null;
    } catch (error) {
      return error;
    }
  };

  it('is the same for what the reader may not read and for what does not exist', () => {
    expect(refusalOf('c', record)).toMatchObject({ code: 'not_found' });
    expect(refusalOf('c', record)).toEqual(refusalOf('c', null));
  });

  it('names the needed role to who may read', () => {
    expect(refusalOf('b', record)).toEqual(needsRole('manager'));
    expect(refusalOf('a', record)).toBeNull();
  });
});

it('refuses guests actions that need an account', () => {
  expect(() => requireRegistered({ isGuest: true })).toThrow(
    expect.objectContaining({ code: 'forbidden' }),
  );
  expect(() => requireRegistered({ isGuest: false })).not.toThrow();
});
