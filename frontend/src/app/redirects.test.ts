import type { User } from '@stolas/backend/contract';
import { expect, it } from 'vitest';
import { writeSetting } from '../lib/page-settings.fixture.ts';
import { testGuest, testUser } from '../lib/user.fixture.ts';
import { type Detour, detourFor } from './redirects.ts';

const visitor = null;
const unsubscribed = testUser({});
const guest = testGuest();
const active = testUser({ subscriptionStatus: 'active' });
const starter = testUser({ subscriptionPlan: 'starter' });
const inGrace = testUser({ subscriptionStatus: 'past_due', subscriptionPlan: 'pro' });
const locked = testUser({ subscriptionStatus: 'past_due' });

type Case = [
  sentence: string,
  user: User | null,
  path: string,
  search: string,
  detour: Detour | null,
];

const later: Detour = { to: '/', after: 500 };

it.each<Case>([
  ['a visitor stays on /', visitor, '/', '', null],
  [
    'an unsubscribed user is redirected from / to the plans',
    unsubscribed,
    '/',
    '',
    { to: '/subscription' },
  ],
  ['an unsubscribed user may read a conversation', unsubscribed, '/', '?c=1', null],
  ['a user whose plan is paused may read a conversation', locked, '/', '?c=1', null],
  [
    'an unsubscribed user begins no conversation',
    unsubscribed,
    '/',
    '?c=new',
    { to: '/subscription' },
  ],
  ['a member for whom a workspace pays may chat', testUser({ hasPool: true }), '/', '', null],
  ['a guest may chat', guest, '/', '', null],
  ['an active subscriber may chat', active, '/', '', null],
  ['a user with a plan may chat', starter, '/', '', null],
  ['a visitor may sign in', visitor, '/login', '', null],
  ['a guest may register', guest, '/login', '', null],
  ['a subscriber has no business on /login', active, '/login', '', { to: '/' }],
  ['a user with a plan is redirected from /login', starter, '/login', '', { to: '/' }],
  ['an unsubscribed one goes on to the plans', unsubscribed, '/login', '', { to: '/subscription' }],
  ...['continue=true', 'error=cancelled'].map(
    (search): Case => [
      `a user who comes back from a provider with ${search} stays`,
      active,
      '/login',
      `?${search}`,
      null,
    ],
  ),
  ['a visitor may look at the plans', visitor, '/subscription', '', null],
  ['an unsubscribed user may stay on the plans', unsubscribed, '/subscription', '', null],
  ['a guest chooses a plan', guest, '/subscription', '', null],
  ['a subscriber is told so, and sent on', active, '/subscription', '', later],
  ['a subscriber who changes the plan stays', starter, '/subscription', '?change=true', null],
  [
    'a subscriber who signed in to choose another plan stays',
    starter,
    '/subscription',
    '?plan=pro',
    null,
  ],
  [
    'a subscriber who signed in to choose the plan that they have goes on',
    starter,
    '/subscription',
    '?plan=starter',
    later,
  ],
  ...['success', 'canceled', 'upgrade_cancelled'].flatMap((name): Case[] => [
    [`a subscriber who returns with ${name} stays`, active, '/subscription', `?${name}=true`, null],
    [
      `a visitor who returns with ${name} signs in`,
      visitor,
      '/subscription',
      `?${name}=true`,
      { to: '/login' },
    ],
  ]),
  ['a user in the days of grace may chat', inGrace, '/', '', null],
  ['a user in the days of grace is redirected from /login', inGrace, '/login', '', { to: '/' }],
  ['a user in the days of grace goes on from the plans', inGrace, '/subscription', '', later],
  ['a user after grace is redirected to the plans', locked, '/', '', { to: '/subscription' }],
  ['a user after grace stays on the plans', locked, '/subscription', '', null],
  ['other pages redirect no user', unsubscribed, '/test', '', null],
])('%s', (_sentence, user, path, search, detour) => {
  expect(detourFor(path, search, user)).toEqual(detour);
});

it('without plans the page of plans redirects every user', () => {
  writeSetting('plans', 'off');
  for (const search of ['', '?change=true', '?success=true']) {
    expect(detourFor('/subscription', search, null)).toEqual({ to: '/login' });
    expect(detourFor('/subscription', search, testUser())).toEqual({ to: '/' });
  }
});
