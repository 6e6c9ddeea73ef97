import { expect, it } from 'vitest';
import { accountsUnderTest, DAY } from './accounts.fixture.ts';

const test = accountsUnderTest();
const store = () => test.accounts.sessions;
const ADA = 'a'.repeat(24);
const BOB = 'b'.repeat(24);
const at = (ms: number) => new Date(Date.now() + ms);
const bounds = () => ({ now: new Date(), createdAfter: at(-90 * DAY), limit: 50 });
const open = (userId: string, tokenHash: string, times: { now?: Date; expiresAt?: Date } = {}) =>
  store().create({
    authenticatedAt: null,
    userId,
    tokenHash,
    credentialVersion: 0,
    userAgent: '',
    now: at(0),
    expiresAt: at(DAY),
    ...times,
  });
const list = async (userId: string) => (await store().list(userId, bounds())).map(({ id }) => id);

it('a session is found by its own token or id, and only by its user', async () => {
  const [ada, bob] = [await open(ADA, 'ada'), await open(BOB, 'bob')];
  const find = async (by: Parameters<ReturnType<typeof store>['findValid']>[0]) =>
    (await store().findValid(by, bounds()))?.id;
  expect(await find({ tokenHash: 'bob' })).toBe(bob.id);
  expect(await find({ _id: bob.id, userId: BOB })).toBe(bob.id);
  expect(await find({ _id: bob.id, userId: ADA })).toBeUndefined();
  expect([await list(ADA), await list(BOB)]).toEqual([[ada.id], [bob.id]]);
});

it('a session that has expired, or began too long ago, is neither found nor listed', async () => {
  // Just expired; the database has not removed it yet.
  await open(ADA, 'expired', { expiresAt: at(-1) });
  await open(ADA, 'old', { now: at(-91 * DAY) });
  for (const tokenHash of ['expired', 'old'])
    expect(await store().findValid({ tokenHash }, bounds())).toBeNull();
  expect(await list(ADA)).toEqual([]);
});

it('a session is extended once by requests that read it at the same time', async () => {
  const session = await open(ADA, 'ada');
  const next = { now: at(DAY / 2), expiresAt: at(2 * DAY) };
  expect(await store().touch(session, next)).toBe(true);
  const later = { now: at(DAY), expiresAt: at(3 * DAY) };
  expect(await store().touch(session, later)).toBe(false);
});

it('ending sessions keeps all others', async () => {
  const [one, two, bob] = [await open(ADA, '1'), await open(ADA, '2'), await open(BOB, '3')];
  expect(await store().remove({ id: bob.id, userId: ADA })).toBe(false);
  expect((await store().removeByToken('2'))?.id).toBe(two.id);
  const three = await open(ADA, '4');
  expect(await store().removeAllOf(ADA, { except: three.id })).toEqual([one.id]);
  expect(await store().removeAllOf(ADA)).toEqual([three.id]);
  expect([await list(ADA), await list(BOB)]).toEqual([[], [bob.id]]);
  expect(await store().remove({ id: bob.id, userId: BOB })).toBe(true);
});

it('a token belongs to one session', async () => {
  await open(ADA, 'ada');
  await expect(open(BOB, 'ada')).rejects.toThrow('E11000');
});

it('of more sessions than the limit, only the last used are listed', async () => {
  for (let n = 0; n < 4; n += 1) await open(ADA, `ada-${n}`, { now: at(n - 100) });
  const [newest, next] = await list(ADA);
  expect(await store().list(ADA, { ...bounds(), limit: 2 })).toMatchObject([
    { id: newest },
    { id: next },
  ]);
});
