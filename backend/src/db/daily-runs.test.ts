import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { ownDatabase } from '../../test/processes.ts';
import { createDailyRuns, type DailyRuns, defineDailyRunModel } from './daily-runs.ts';
import { type Connection, connectMongo } from './mongo.ts';

const DAY = '2026-03-15';
const at = (minutes: number) => new Date(Date.UTC(2026, 2, 15, 3, minutes));

let connection: Connection;
let runs: DailyRuns<{ compared: number }>;

beforeAll(async () => {
  connection = await connectMongo(ownDatabase());
});
afterAll(() => connection.close());

beforeEach(async () => {
  const model = defineDailyRunModel(connection, { name: 'Run', collection: 'runs' });
  await model.deleteMany({});
  runs = createDailyRuns(model);
  connection.deleteModel('Run');
});

/** A worker that has not renewed its lease for ten minutes is lost. */
const lease = (minutes: number, day = DAY) =>
  runs.lease(day, { now: at(minutes), staleBefore: at(minutes - 10) });

it('lets one of many workers do the work of a day', async () => {
  const leases = await Promise.all(Array.from({ length: 10 }, () => lease(0)));
  expect(leases.filter((one) => one !== null)).toEqual([
    { day: DAY, startedAt: at(0), leasedAt: at(0) },
  ]);
  expect(await lease(0, '2026-03-16')).not.toBeNull();
});

it('gives the work of a lost worker to another one, and refuses the lost one', async () => {
  const lost = await lease(0);
  expect(await lease(10)).toBeNull();
  const taken = await lease(11);
  if (!lost || !taken) throw new Error('The day was not leased.');
  expect(await runs.renew(lost, at(12))).toBeNull();
  expect(await runs.finish(lost, { compared: 1 }, at(12))).toBe(false);
  expect(await runs.lastStarted()).toEqual({ startedAt: at(11), finishedAt: null });
  expect(await runs.finish(taken, { compared: 2 }, at(13))).toBe(true);
  expect(await runs.lastFinished()).toEqual({
    startedAt: at(11),
    finishedAt: at(13),
    compared: 2,
  });
});

it('keeps a lease that is renewed', async () => {
  const first = await lease(0);
  const renewed = first && (await runs.renew(first, at(9)));
  expect(renewed).toEqual({ day: DAY, startedAt: at(0), leasedAt: at(9) });
  expect(await lease(15)).toBeNull();
  expect(await runs.renew(first ?? fail(), at(15))).toBeNull();
});

it('does the work of a day once', async () => {
  const done = await lease(0);
  expect(await runs.finish(done ?? fail(), { compared: 3 }, at(1))).toBe(true);
  expect(await runs.finish(done ?? fail(), { compared: 4 }, at(2))).toBe(false);
  expect(await runs.renew(done ?? fail(), at(2))).toBeNull();
  expect(await lease(59)).toBeNull();
});

it('distinguishes the last started run from the last finished one', async () => {
  expect([await runs.lastStarted(), await runs.lastFinished()]).toEqual([null, null]);
  const done = await lease(0);
  await runs.finish(done ?? fail(), { compared: 5 }, at(1));
  await runs.lease('2026-03-16', { now: at(2), staleBefore: at(0) });
  expect((await runs.lastStarted())?.finishedAt).toBeNull();
  expect(await runs.lastFinished()).toMatchObject({ compared: 5, finishedAt: at(1) });
});

it('reports errors of the database', async () => {
  const closed = await connectMongo(ownDatabase());
  const model = defineDailyRunModel(closed, { name: 'Run', collection: 'runs' });
  await closed.close();
  const started = createDailyRuns(model).lease(DAY, { now: at(0), staleBefore: at(0) });
  await expect(started).rejects.toThrow(/not connected|client was closed|must be connected/i);
});

function fail(): never {
  throw new Error('The day was not leased.');
}
