import type { Request, Response } from 'express';
import { expect, it } from 'vitest';
import { actorOf, identify } from './identify.ts';
import type { Turns } from './turns.ts';

it.each([
  ['GET', 'later'],
  ['POST', 'sooner'],
])('looks the session of a %s up once, in a turn that comes %s', async (method, kind) => {
  const taken: string[] = [];
  const take =
    (name: string): Turns['later'] =>
    (run) => {
      taken.push(name);
      return run();
    };
  const turns = { sooner: take('sooner'), later: take('later') };
  const req = { method, headers: { authorization: 'Bearer token' } } as Request;
  const authenticate = async () => null;
  identify(authenticate, { PUBLIC_URL: '' }, turns)(req, {} as Response, () => undefined);
  expect(taken).toEqual([]);
  expect(await actorOf(req)).toBeNull();
  expect(await actorOf(req)).toBeNull();
  expect(taken).toEqual([kind]);
});
