import type { User } from '@stolas/backend/contract';

/** A person as the server presents one: registered, confirmed, without a plan; `fields` on top. */
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

/** A guest, who has a session and nothing else. */
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
