import type { Request, RequestHandler, Response } from 'express';
import type * as z from 'zod';
import type { Actor } from '../access/index.ts';
import { actorOf, requireActor } from './identify.ts';
import type { Turn } from './turns.ts';
import { parseInput, parseParams } from './validate.ts';

type Schema = z.ZodType | undefined;
type Parsed<S> = S extends z.ZodType ? z.output<S> : undefined;

interface Shape<B, Q, P> {
  body?: B;
  query?: Q;
  params?: P;
  /** What `run` waits for; without it, it runs at once. */
  turn?: Turn;
  /** Of an answer with a body; 200 by default. */
  status?: 201 | 202;
}

interface Call<B, Q, P> {
  body: Parsed<B>;
  query: Parsed<Q>;
  params: Parsed<P>;
  req: Request;
  res: Response;
}

type Run<C> = (call: C) => Promise<unknown>;

const handlerFor =
  <A extends Actor | null>(authenticate: (req: Request) => Promise<A>) =>
  <B extends Schema = undefined, Q extends Schema = undefined, P extends Schema = undefined>(
    shape: Shape<B, Q, P>,
    run: Run<Call<B, Q, P> & { actor: A }>,
  ): RequestHandler =>
  async (req, res) => {
    const actor = await authenticate(req);
    const call = { ...parse(shape, req), req, res, actor };
    await answer(res, () => run(call), shape);
  };

/**
 * A route for signed-in users: authenticates, validates once by the schemas, and sends what `run` returns
 * as JSON (nothing returned is 204).
 * Errors: 401 before 404 (params) before 422 (query, body), then those of `run`.
 */
export const handler = handlerFor(requireActor);

/** As `handler`, for routes that need no session; `actor` is null without one. */
export const openHandler = handlerFor(actorOf);

function parse<B extends Schema, Q extends Schema, P extends Schema>(
  { body, query, params }: Shape<B, Q, P>,
  req: Request,
) {
  return {
    params: (params && parseParams(params, req.params)) as Parsed<P>,
    query: (query && parseInput(query, req.query)) as Parsed<Q>,
    body: (body && parseInput(body, req.body)) as Parsed<B>,
  };
}

async function answer(
  res: Response,
  run: () => Promise<unknown>,
  { turn = (now) => now(), status }: Pick<Shape<Schema, Schema, Schema>, 'turn' | 'status'>,
): Promise<void> {
  const body = await turn(run);
  if (res.headersSent) return;
  if (body === undefined) res.status(204).end();
  else res.status(status ?? res.statusCode).json(body);
}
