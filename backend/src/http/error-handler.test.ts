import express, { type RequestHandler } from 'express';
import { mongo } from 'mongoose';
import { describe, expect, it, vi } from 'vitest';
import { createS3ObjectStore } from '../objects/index.ts';
import { errorHandler } from './error-handler.ts';
import { serve } from './serve.fixture.ts';

const { MongoBulkWriteError, MongoNetworkError, MongoServerError } = mongo;
const inBulk = (error: Error) => new MongoBulkWriteError(error, {} as never);

/** How a call is answered whose route does `work`, which fails. */
async function answerTo(work: () => Promise<unknown>) {
  const app = express().use(async () => void (await work()));
  app.use(errorHandler({ error: vi.fn<() => void>(), warn: vi.fn<() => void>() } as never));
  const { url, stop } = await serve(app);
  const { status, headers } = await fetch(url);
  stop();
  return { status, isRepeatable: headers.has('retry-after') };
}

it.each([
  ['a lost connection to the database', new MongoNetworkError('connection closed'), 503],
  [
    'one within the insert of several documents',
    inBulk(new MongoNetworkError('connection closed')),
    503,
  ],
  [
    'an election within one',
    inBulk(new MongoServerError({ message: 'not primary', code: 10107 })),
    503,
  ],
  [
    'a duplicate within one',
    inBulk(new MongoServerError({ message: 'duplicate', code: 11000 })),
    500,
  ],
])('%s', async (_name, error, status) => {
  expect(await answerTo(() => Promise.reject(error))).toEqual({
    status,
    isRepeatable: status === 503,
  });
});

describe('an object store', () => {
  const refuse =
    (status: number, code: string): RequestHandler =>
    (_req, res) =>
      void res.status(status).type('xml').send(`<Error><Code>${code}</Code></Error>`);

  /** Not for a store that answers: a busy machine may take longer. */
  const soon = { timeoutMs: 100 };
  it.each<[string, RequestHandler, number, object?]>([
    ['that does not answer', () => undefined, 503, soon],
    [
      'that stops in the middle of its answer',
      (_req, res) => void res.type('xml').write('<'),
      503,
      soon,
    ],
    ['that has too much to do', refuse(503, 'SlowDown'), 503],
    ['that refuses a call', refuse(403, 'AccessDenied'), 500],
  ])('%s', async (_name, store, status, limits = {}) => {
    const { url: endpoint, stop } = await serve(express().use(store));
    const keys = { region: 'eu-1', bucket: 'b', accessKeyId: 'k', secretAccessKey: 's' };
    const objects = createS3ObjectStore({ ...keys, endpoint, ...limits });
    const answer = await answerTo(() => objects.count('users/1/'));
    stop();
    expect(answer).toEqual({ status, isRepeatable: status === 503 });
  });
});
