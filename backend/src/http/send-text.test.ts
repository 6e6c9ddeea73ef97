import express from 'express';
import { expect, it, onTestFinished } from 'vitest';
import { sendList } from './send-text.ts';
import { serve } from './serve.fixture.ts';

async function answerOf(items: () => AsyncGenerator<object>): Promise<Response> {
  const app = express().get('/', (_req, res) => sendList(res, items()));
  // The error is not printed.
  app.set('env', 'test');
  const { url, stop } = await serve(app);
  onTestFinished(stop);
  return fetch(url);
}

it.each([[[]], [[{ n: 1 }]], [[{ n: 1 }, { n: 2 }, { n: 3 }]]])(
  'sends %j as JSON, one item after the other',
  async (items) => {
    const answer = await answerOf(async function* () {
      yield* items;
    });
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await answer.json()).toEqual(items);
  },
);

it('sends no part of a list that cannot be read', async () => {
  const failed = await answerOf(async function* () {
    yield await Promise.reject(new Error('unreachable'));
  });
  expect(failed.status).toBe(500);
});
