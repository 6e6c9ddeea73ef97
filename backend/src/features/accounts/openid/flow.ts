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
 * The state of a sign-in between two calls of one browser. It is in Redis under a random id in this browser's cookie, so the state or nonce
 * of another browser finds nothing. It can be taken once.
 */
export interface Flow<T> {
  begin: (req: Request, res: Response, data: T) => Promise<void>;
  /** Null when this browser has no flow, the flow has expired, or it was already taken. */
  take: (req: Request, res: Response) => Promise<T | null>;
}

export function createFlow<T>(
  { kind, schema, seconds }: FlowOptions<T>,
  { redis, config }: Pick<AccountsFeature, 'redis' | 'config'>,
): Flow<T> {
  const settings = { name: `stolas_${kind}`, maxAgeMs: seconds * 1_000 };
  const cookie = createCookie(settings, config);
  const key = (id: string) => `${kind}:${createHash('sha256').update(id).digest('base64url')}`;
  return {
    begin: async (req, res, data) => {
      const id = randomBytes(32).toString('base64url');
      await redis.set(key(id), JSON.stringify(data), 'EX', seconds);
      cookie.set(req, res, id);
    },
    take: async (req, res) => {
      const id = cookie.read(req.headers);
      if (!id) return null;
      cookie.clear(req, res);
      const stored = await redis.getdel(key(id));
      return stored === null ? null : schema.parse(JSON.parse(stored));
    },
  };
}
