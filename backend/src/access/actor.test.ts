import { expect, it } from 'vitest';
import { sessionActor } from './index.ts';

it('makes an actor of a session, which has all rights of its user', () => {
  expect(sessionActor({ userId: 'u', sessionId: 's', isGuest: true })).toEqual({
    kind: 'session',
    userId: 'u',
    sessionId: 's',
    isGuest: true,
    scopes: ['all'],
  });
});
