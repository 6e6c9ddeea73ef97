import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { ownDatabase } from '../../../test/processes.ts';
import { type Connection, connectMongo, createIndexes } from '../../db/mongo.ts';
import type { AppError } from '../../errors.ts';
import { type AccountsService, createAccountsService } from './service.ts';
import { createSessionStore, defineSessionModel } from './session-model.ts';
import type { SessionEnded } from './sessions.ts';
import { createUserStore, defineUserModel } from './user-model.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

let connection: Connection;
let accounts: AccountsService;
let clock: number;
let ended: SessionEnded[];

beforeAll(async () => {
  connection = await connectMongo(ownDatabase());
  accounts = createAccountsService({
    users: createUserStore(defineUserModel(connection)),
    sessions: createSessionStore(defineSessionModel(connection)),
    now: () => new Date(clock),
    onSessionEnded: async (session) => {
      ended.push(session);
    },
  });
  await createIndexes(connection);
});
afterAll(() => connection.close());
beforeEach(async () => {
  // The real time of day: the database itself removes sessions that are over by its own clock.
  clock = Date.now();
  ended = [];
  await connection.collection('users').deleteMany({});
});

const later = (ms: number) => {
  clock += ms;
};
const idOf = async (token: string) => (await accounts.authenticate(token))?.user.id;
const claim = () => accounts.claimExpiredGuests({ limit: 10 });
const registration = (email: string) => ({
  email,
  password: 'a long enough password',
  firstName: '',
  lastName: '',
});

it('a session that is used goes on; one that is left alone for 30 days is over', async () => {
  const { token, user } = await accounts.startGuest('test');
  later(29 * DAY);
  expect(await idOf(token)).toBe(user.id);
  later(29 * DAY);
  expect(await idOf(token)).toBe(user.id);
  later(30 * DAY);
  expect(await idOf(token)).toBeUndefined();
});

it('the database holds no token in the clear', async () => {
  const { token } = await accounts.startGuest('test');
  const stored = await connection.collection('sessions').find().toArray();
  expect(stored.length).toBeGreaterThan(0);
  expect(JSON.stringify(stored)).not.toContain(token);
});

it('a guest is deleted 24 hours after the last use, not after the first', async () => {
  const { token, user } = await accounts.startGuest('test');
  later(20 * HOUR);
  await accounts.authenticate(token);
  later(23 * HOUR);
  expect(await claim()).toEqual([]);
  later(2 * HOUR);
  expect(await claim()).toEqual([user.id]);
});

it('a guest whose deletion has begun is signed out, and cannot register any more', async () => {
  const { token, user } = await accounts.startGuest('test');
  const session = (await accounts.authenticate(token))?.session;
  const guest = { userId: user.id, sessionId: session?.id ?? '' };
  later(25 * HOUR);
  await claim();
  expect(await idOf(token)).toBeUndefined();
  expect(ended).toEqual([guest]);
  const late = await accounts.register(registration('late@example.com'), { userAgent: '', guest });
  expect(late.user.id).not.toBe(user.id);
});

it('a deletion that was cut off is handed out again after an hour, and ends with the account', async () => {
  const { user } = await accounts.startGuest('test');
  later(25 * HOUR);
  expect(await claim()).toEqual([user.id]);
  expect(await claim()).toEqual([]);
  later(HOUR + MINUTE);
  expect(await claim()).toEqual([user.id]);
  await accounts.removeUser(user.id);
  later(2 * HOUR);
  expect(await claim()).toEqual([]);
  expect(await connection.collection('users').countDocuments()).toBe(0);
});

it('two sweepers at once share the guests between them', async () => {
  const guests = await Promise.all(Array.from({ length: 8 }, () => accounts.startGuest('test')));
  later(25 * HOUR);
  const claimed = (await Promise.all([claim(), claim()])).flat();
  expect(claimed.toSorted()).toEqual(guests.map(({ user }) => user.id).toSorted());
});

it('a registered account is never claimed, and removing it as if it were does nothing', async () => {
  const { user } = await accounts.register(registration('stays@example.com'), { userAgent: '' });
  later(400 * DAY);
  expect(await claim()).toEqual([]);
  await accounts.removeUser(user.id);
  expect(await accounts.find(user.id)).not.toBeNull();
});

it('of registrations of one address at the same time one wins', async () => {
  const attempts = await Promise.allSettled(
    Array.from({ length: 5 }, () =>
      accounts.register(registration('race@example.com'), { userAgent: '' }),
    ),
  );
  expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  const refusals = attempts.filter((attempt) => attempt.status === 'rejected');
  expect(refusals.map(({ reason }) => (reason as AppError).code)).toEqual(
    Array<string>(4).fill('email_taken'),
  );
});

it('a guest who registers twice at once becomes one account, and the second try is refused', async () => {
  const { token, user } = await accounts.startGuest('test');
  const session = (await accounts.authenticate(token))?.session;
  const guest = { userId: user.id, sessionId: session?.id ?? '' };
  const twice = await Promise.allSettled(
    [1, 2].map(() =>
      accounts.register(registration('double@example.com'), { userAgent: '', guest }),
    ),
  );
  expect(twice.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  expect(await accounts.find(user.id)).toMatchObject({ email: 'double@example.com' });
  expect(await connection.collection('users').countDocuments()).toBe(1);
});

it("somebody else's session cannot be ended", async () => {
  const [anna, ben] = [await accounts.startGuest('a'), await accounts.startGuest('b')];
  const sessionId = (await accounts.authenticate(anna.token))?.session.id ?? '';
  await expect(accounts.endSession({ userId: ben.user.id, sessionId })).rejects.toMatchObject({
    code: 'not_found',
  });
  expect(await idOf(anna.token)).toBe(anna.user.id);
  await accounts.endSession({ userId: anna.user.id, sessionId });
  expect(await idOf(anna.token)).toBeUndefined();
  expect(ended).toEqual([{ userId: anna.user.id, sessionId }]);
});
