import { S3ServiceException } from '@aws-sdk/client-s3';
import express from 'express';
import { mongo } from 'mongoose';
import { expect, it, vi } from 'vitest';
import { errorHandler } from './error-handler.ts';
import { serve } from './serve.fixture.ts';

const { MongoBulkWriteError, MongoNetworkError, MongoServerError } = mongo;
const storeError = ($fault: 'client' | 'server') =>
  new S3ServiceException({ name: 'SlowDown', $fault, $metadata: {}, message: 'Reduce your rate.' });
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
  [
    'a store that does not answer',
    Object.assign(new Error('the request socket timed out'), { name: 'TimeoutError' }),
    503,
  ],
  ['a store that has too much to do', storeError('server'), 503],
  ['a call that the store refuses', storeError('client'), 500],
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
