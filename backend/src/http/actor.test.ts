import { expect, it } from 'vitest';
import { actorOf, type Principal } from './require-user.ts';

const principal = (subscriptionStatus: 'guest' | null): Principal => ({
  user: { id: 'u', subscriptionStatus },
  session: { id: 's' },
});

it('creates an actor from a session', () => {
  expect(actorOf(principal(null))).toEqual({
    kind: 'session',
    userId: 'u',
    sessionId: 's',
    isGuest: false,
    scopes: ['all'],
  });
});

it('marks guests', () => {
  expect(actorOf(principal('guest')).isGuest).toBe(true);
});
