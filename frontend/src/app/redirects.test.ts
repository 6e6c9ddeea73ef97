import { expect, it } from 'vitest';
import { testGuest, testUser } from '../lib/user.fixture.ts';
import { detourFor } from './redirects.ts';

const visitor = null;
const unsubscribed = testUser({});
const guest = testGuest();
const active = testUser({ subscriptionStatus: 'active' });
const starter = testUser({ subscriptionPlan: 'starter' });

const later = { to: '/', after: 500 };

it.each([
  ['a visitor stays on /', visitor, '/', '', null],
  [
    'an unsubscribed user is redirected from / to the plans',
    unsubscribed,
    '/',
    '',
    { to: '/subscription' },
  ],
  ['a guest may chat', guest, '/', '', null],
  ['an active subscriber may chat', active, '/', '', null],
  ['a user with a plan may chat', starter, '/', '', null],
  ['a visitor may sign in', visitor, '/login', '', null],
  ['a guest may register', guest, '/login', '', null],
  ['a subscriber has no business on /login', active, '/login', '', { to: '/' }],
  ['a user with a plan is redirected from /login', starter, '/login', '', { to: '/' }],
  ['an unsubscribed one goes on to the plans', unsubscribed, '/login', '', { to: '/subscription' }],
  ['a visitor may look at the plans', visitor, '/subscription', '', null],
  ['an unsubscribed user may stay on the plans', unsubscribed, '/subscription', '', null],
  ['a guest chooses a plan', guest, '/subscription', '', null],
  ['a subscriber is told so, and sent on', active, '/subscription', '', later],
  ['a subscriber who changes the plan stays', starter, '/subscription', '?change=true', null],
  ['other pages redirect no user', unsubscribed, '/test', '', null],
])('%s', (_sentence, user, path, search, detour) => {
  expect(detourFor(path, search, user)).toEqual(detour);
});
