import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { ownDatabase } from '../../../test/processes.ts';
import { type Connection, connectMongo, createIndexes } from '../../db/mongo.ts';
import { createLinkStore, defineLinkModel } from './link-model.ts';
import { createRemovalStore } from './removal-model.ts';
import { type AccountsService, createAccountsService } from './service.ts';
import { createSessionStore, defineSessionModel } from './session-model.ts';
import type { SessionEnded } from './sessions.ts';
import { createUserStore, defineUserModel, dropFormerIndexes } from './user-model.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

let connection: Connection;
let accounts: AccountsService;
let clock: number;
let ended: SessionEnded[];

beforeAll(async () => {
  connection = await connectMongo(ownDatabase());
  const userModel = defineUserModel(connection);
  accounts = createAccountsService({
    users: createUserStore(userModel),
    sessions: createSessionStore(defineSessionModel(connection)),
    links: createLinkStore(defineLinkModel(connection)),
    removals: createRemovalStore(userModel),
    now: () => new Date(clock),
    newId: () => '000000000000000000000000',
    onSessionOpened: async () => undefined,
    onSessionEnded: async (session) => {
      ended.push(session);
    },
    onChanged: async () => undefined,
    requestMail: async () => undefined,
    requestRemoval: async () => undefined,
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
const claim = () => accounts.claimForRemoval({ limit: 10 });
/** A new guest, signed in. */
const startGuest = async () => {
  const user = await accounts.createGuest();
  return { user, token: await accounts.signIn(user, 'test') };
};
const registration = (email: string) => ({
  email,
  password: 'a long enough password',
  firstName: '',
  lastName: '',
});

it('a session that is used goes on; one that is left alone for 30 days is over', async () => {
  const { token, user } = await startGuest();
  later(29 * DAY);
  expect(await idOf(token)).toBe(user.id);
  later(29 * DAY);
  expect(await idOf(token)).toBe(user.id);
  later(30 * DAY);
  expect(await idOf(token)).toBeUndefined();
});

it('the database holds no token in the clear', async () => {
  const { token } = await startGuest();
  const stored = await connection.collection('sessions').find().toArray();
  expect(stored.length).toBeGreaterThan(0);
  expect(JSON.stringify(stored)).not.toContain(token);
});

it('a guest is deleted 24 hours after the last use, not after the first', async () => {
  const { token, user } = await startGuest();
  later(20 * HOUR);
  await accounts.authenticate(token);
  later(23 * HOUR);
  expect(await claim()).toEqual([]);
  later(2 * HOUR);
  expect(await claim()).toEqual([user.id]);
});

it('a guest whose deletion has begun is signed out, and cannot register any more', async () => {
  const { token, user } = await startGuest();
  const session = (await accounts.authenticate(token))?.session;
  const guest = { userId: user.id, sessionId: session?.id ?? '' };
  later(25 * HOUR);
  await claim();
  expect(await idOf(token)).toBeUndefined();
  expect(ended).toEqual([guest]);
  const late = await accounts.register(registration('late@example.com'), { guest });
  expect(late.id).not.toBe(user.id);
});

it('a deletion that was cut off is handed out again after an hour, and ends with the account', async () => {
  const { user } = await startGuest();
  later(25 * HOUR);
  expect(await claim()).toEqual([user.id]);
  expect(await claim()).toEqual([]);
  later(HOUR + MINUTE);
  expect(await claim()).toEqual([user.id]);
  await accounts.forget(user.id);
  later(2 * HOUR);
  expect(await claim()).toEqual([]);
  expect(await connection.collection('users').countDocuments()).toBe(0);
});

it('two sweepers at once share the guests between them', async () => {
  const guests = await Promise.all(Array.from({ length: 8 }, () => startGuest()));
  later(25 * HOUR);
  const claimed = (await Promise.all([claim(), claim()])).flat();
  expect(claimed.toSorted()).toEqual(guests.map(({ user }) => user.id).toSorted());
});

it('a registered account is never claimed, and removing it as if it were does nothing', async () => {
  const user = await accounts.register(registration('stays@example.com'));
  later(400 * DAY);
  expect(await claim()).toEqual([]);
  await accounts.forget(user.id);
  expect(await accounts.find(user.id)).not.toBeNull();
});

it('registering again with the same password finds the account, with another one makes another', async () => {
  const first = await accounts.register(registration('twice@example.com'));
  const again = await accounts.register(registration('twice@example.com'));
  expect(again.id).toBe(first.id);
  const other = { ...registration('twice@example.com'), password: 'quite another password' };
  const stranger = await accounts.register(other);
  expect(stranger.id).not.toBe(first.id);
  for (const [account, { password }] of [
    [first, registration('')],
    [stranger, other],
  ] as const)
    expect((await accounts.verifyCredentials('twice@example.com', password))?.id).toBe(account.id);
});

it('a guest who registers twice at once becomes one account', async () => {
  const { token, user } = await startGuest();
  const session = (await accounts.authenticate(token))?.session;
  const guest = { userId: user.id, sessionId: session?.id ?? '' };
  const twice = await Promise.all(
    [1, 2].map(() => accounts.register(registration('double@example.com'), { guest })),
  );
  expect(twice.map(({ id }) => id)).toEqual([user.id, user.id]);
  expect(await connection.collection('users').countDocuments()).toBe(1);
});

it("somebody else's session cannot be ended", async () => {
  const [anna, ben] = [await startGuest(), await startGuest()];
  const sessionId = (await accounts.authenticate(anna.token))?.session.id ?? '';
  await expect(accounts.endSession({ userId: ben.user.id, sessionId })).rejects.toMatchObject({
    code: 'not_found',
  });
  expect(await idOf(anna.token)).toBe(anna.user.id);
  await accounts.endSession({ userId: anna.user.id, sessionId });
  expect(await idOf(anna.token)).toBeUndefined();
  expect(ended).toEqual([{ userId: anna.user.id, sessionId }]);
});

it('a data folder in which every address was unique takes claims after its start', async () => {
  const users = connection.collection('users');
  await users.createIndex({ email: 1 }, { unique: true, sparse: true });
  const claim = (password: string) =>
    accounts.register({ ...registration('former@example.com'), password });
  await claim('a long enough password');
  await dropFormerIndexes(defineUserModel(connection));
  await createIndexes(connection);
  await expect(claim('quite another password')).resolves.toMatchObject({ emailVerified: false });
  // Nothing is left to drop the next time.
  await dropFormerIndexes(defineUserModel(connection));
});
