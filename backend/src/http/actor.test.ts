import { expect, it } from 'vitest';
import { actorOf, type Principal } from './require-user.ts';

const principal = (subscriptionStatus: 'guest' | null): Principal => ({
  user: { id: 'u', subscriptionStatus },
  session: { id: 's' },
});

it('makes an actor of a session', () => {
  expect(actorOf(principal(null))).toEqual({
    kind: 'session',
    userId: 'u',
    sessionId: 's',
    isGuest: false,
    scopes: ['all'],
  });
});

it('knows guests', () => {
  expect(actorOf(principal('guest')).isGuest).toBe(true);
});
