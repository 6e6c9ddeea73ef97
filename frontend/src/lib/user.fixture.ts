import type { User } from '@stolas/backend/contract';

/** A user as the server presents it: registered, verified, without a plan; `fields` override. */
export const testUser = (fields: Partial<User> = {}): User => ({
  id: 'u1',
  email: 'ada@example.com',
  emailVerified: true,
  pendingEmail: null,
  hasPassword: true,
  signInProviders: [],
  firstName: 'Ada',
  lastName: '',
  subscriptionStatus: null,
  subscriptionPlan: null,
  ...fields,
});

/** A guest: a session without an email address or a password. */
export const testGuest = (fields: Partial<User> = {}): User =>
  testUser({
    id: 'g1',
    email: null,
    emailVerified: false,
    hasPassword: false,
    firstName: '',
    subscriptionStatus: 'guest',
    ...fields,
  });

/** A subscriber of Pro; `fields` override. */
export const testSubscriber = (fields: Partial<User> = {}): User =>
  testUser({ subscriptionStatus: 'active', subscriptionPlan: 'pro', ...fields });
