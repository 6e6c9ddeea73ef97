import express from 'express';
import { mongo } from 'mongoose';
import { expect, it, vi } from 'vitest';
import { errorHandler } from './error-handler.ts';
import { serve } from './serve.fixture.ts';

const { MongoBulkWriteError, MongoNetworkError, MongoServerError } = mongo;
const inBulk = (error: Error) => new MongoBulkWriteError(error, {} as never);

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
  const app = express();
  app.use(() => {
    throw error;
  });
  app.use(errorHandler({ error: vi.fn<() => void>(), warn: vi.fn<() => void>() } as never));
  const { url, stop } = await serve(app);
  const answer = await fetch(url);
  expect(answer.status).toBe(status);
  expect(answer.headers.has('retry-after')).toBe(status === 503);
  stop();
});
