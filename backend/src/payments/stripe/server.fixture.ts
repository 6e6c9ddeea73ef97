import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type Request, type Response } from 'express';
import * as z from 'zod';
import { invalid, RefusedError } from '../simulator/errors.ts';
import type { Simulator } from '../simulator/simulator.ts';
import { stripeRoutes } from './server-routes.fixture.ts';

export const SECRET_KEY = 'sk_test_1';
const API_VERSION = '2026-10-28.endive';

interface Failure {
  /** The method of the request that meets it. */
  on: 'GET' | 'POST' | 'DELETE';
  status?: number;
  /** Without status and error the connection is cut, or with `hangs` kept open. */
  hangs?: boolean;
  error?: { type: string; code?: string; message: string };
  /** The request is done before it fails: its answer is lost. */
  late?: boolean;
}

interface Answer {
  status: number;
  body: unknown;
}

interface Seen {
  method: string;
  path: string;
  key: string | undefined;
  body: unknown;
}

/** A server that speaks Stripe's API over a simulated provider. It knows what the adapter uses, and refuses the rest. */
export async function startStripeServer(simulator: Simulator) {
  const failures: Failure[] = [];
  const seen: Seen[] = [];
  const answers = new Map<string, { asked: string; answer: Answer | null }>();
  const perform = stripeRoutes(simulator);

  const answerOnce = async (req: Request): Promise<Answer> => {
    const key = req.get('idempotency-key');
    if (key === undefined) return answerOf(req, perform);
    const asked = JSON.stringify([req.method, req.path, req.body]);
    const former = answers.get(key);
    if (former && former.asked !== asked)
      return refusal(
        new RefusedError(
          'key_reused',
          'Keys for idempotent requests can only be used with the same parameters they were first used with.',
        ),
      );
    if (former?.answer === null) return inProgress();
    if (former?.answer) return former.answer;
    answers.set(key, { asked, answer: null });
    const answer = await answerOf(req, perform);
    // Stripe keeps the answers of requests that it has begun to fulfil.
    if (answer.status === 400 || answer.status === 404) answers.delete(key);
    else answers.set(key, { asked, answer });
    return answer;
  };

  const app = express();
  app.set('query parser', 'extended');
  app.use(express.urlencoded({ extended: true }));
  app.use(async (req: Request, res: Response) => {
    const { method, path, body } = req;
    seen.push({ method, path, key: req.get('idempotency-key'), body });
    const next = failures.findIndex(({ on }) => on === method);
    const failure = next === -1 ? undefined : failures.splice(next, 1)[0];
    if (failure?.late) await answerOnce(req);
    if (failure?.status !== undefined) res.status(failure.status).json({ error: failure.error });
    else if (failure) {
      if (!failure.hangs) res.destroy();
    } else {
      const { status, body: answer } = denial(req) ?? (await answerOnce(req));
      res.status(status).json(answer);
    }
  });
  const server = createServer(app);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** What the next requests meet. */
    fail: (...next: Failure[]) => void failures.push(...next),
    /** The requests since the last call. */
    seen: (): Seen[] => seen.splice(0),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

type Perform = (req: Request) => Promise<unknown>;

async function answerOf(req: Request, perform: Perform): Promise<Answer> {
  try {
    return { status: 200, body: await perform(req) };
  } catch (error) {
    if (error instanceof RefusedError) return refusal(error);
    if (error instanceof z.ZodError) return refusal(invalid(z.prettifyError(error)));
    throw error;
  }
}

const TYPES = {
  declined: { status: 402, type: 'card_error', code: 'card_declined' },
  invalid: { status: 400, type: 'invalid_request_error' },
  missing: { status: 404, type: 'invalid_request_error', code: 'resource_missing' },
  key_reused: { status: 400, type: 'idempotency_error' },
};

function refusal({ reason, message }: RefusedError): Answer {
  const { status, ...error } = TYPES[reason];
  return { status, body: { error: { ...error, message } } };
}

const inProgress = (): Answer => ({
  status: 409,
  body: {
    error: {
      type: 'invalid_request_error',
      code: 'idempotency_key_in_use',
      message: 'There is currently another in-progress request using this idempotency key.',
    },
  },
});

function denial(req: Request): Answer | null {
  if (req.get('authorization') !== `Bearer ${SECRET_KEY}`)
    return {
      status: 401,
      body: { error: { type: 'invalid_request_error', message: 'Invalid API Key provided' } },
    };
  if (req.get('stripe-version') !== API_VERSION) return refusal(invalid('Invalid API version'));
  return null;
}
