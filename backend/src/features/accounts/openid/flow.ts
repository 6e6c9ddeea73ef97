import { createHash, randomBytes } from 'node:crypto';
import type { Request, Response } from 'express';
import type * as z from 'zod';
import { createCookie } from '../../../http/index.ts';
import type { AccountsFeature } from '../feature.ts';

interface FlowOptions<T> {
  /** Names the cookie and the place in Redis. */
  kind: string;
  schema: z.ZodType<T>;
  seconds: number;
}

/**
 * The data of a sign-in between two calls of one browser. It is in Redis under its state and a random id in this browser's cookie, so the
 * state of another browser finds nothing, and two tabs may each have a sign-in. It can be taken once.
 */
export interface Flow<T> {
  /** Without a state the browser has one flow, the newest: under a new id, so that nobody who has set the cookie before can take it. */
  begin: (req: Request, res: Response, flow: { state?: string; data: T }) => Promise<void>;
  /** Null when this browser has no flow of this state, the flow has expired, or it was already taken. */
  take: (req: Request, state?: string) => Promise<T | null>;
}

export function createFlow<T>(
  { kind, schema, seconds }: FlowOptions<T>,
  { redis, config }: Pick<AccountsFeature, 'redis' | 'config'>,
): Flow<T> {
  const settings = { name: `stolas_${kind}`, maxAgeMs: seconds * 1_000 };
  const cookie = createCookie(settings, config);
  const key = (id: string, state = '') =>
    `${kind}:${createHash('sha256').update(`${id} ${state}`).digest('base64url')}`;
  return {
    begin: async (req, res, { state, data }) => {
      const known = state === undefined ? undefined : cookie.read(req.headers);
      const id = known || randomBytes(32).toString('base64url');
      await redis.set(key(id, state), JSON.stringify(data), 'EX', seconds);
      cookie.set(req, res, id);
    },
    take: async (req, state) => {
      const id = cookie.read(req.headers);
      if (!id) return null;
      const stored = await redis.getdel(key(id, state));
      return stored === null ? null : schema.parse(JSON.parse(stored));
    },
  };
}
