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
  ['an unsubscribed person leaves / for the plans', unsubscribed, '/', '', { to: '/subscription' }],
  ['a guest may chat', guest, '/', '', null],
  ['an active subscriber may chat', active, '/', '', null],
  ['a person with a plan may chat', starter, '/', '', null],
  ['a visitor may sign in', visitor, '/login', '', null],
  ['a guest may register', guest, '/login', '', null],
  ['a subscriber has no business on /login', active, '/login', '', { to: '/' }],
  ['a person with a plan neither', starter, '/login', '', { to: '/' }],
  ['an unsubscribed one goes on to the plans', unsubscribed, '/login', '', { to: '/subscription' }],
  ['a visitor may look at the plans', visitor, '/subscription', '', null],
  ['an unsubscribed person chooses a plan', unsubscribed, '/subscription', '', null],
  ['a guest chooses a plan', guest, '/subscription', '', null],
  ['a subscriber is told so, and sent on', active, '/subscription', '', later],
  ['a subscriber who changes the plan stays', starter, '/subscription', '?change=true', null],
  ['nobody is sent away from elsewhere', unsubscribed, '/test', '', null],
])('%s', (_sentence, user, path, search, detour) => {
  expect(detourFor(path, search, user)).toEqual(detour);
});
