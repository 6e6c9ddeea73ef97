import express, { type Request, type Response } from 'express';

/**
 * The bytes of a body, which a route reads when it is ready for it; empty when the body has another type. A compressed one is refused: a few
 * bytes could become `limit`, in bytes.
 * @throws an error with status 413 or 415, or 400 when the caller leaves before the end
 */
export async function readBody(
  { req, res }: { req: Request; res: Response },
  { limit, type }: { limit: number; type?: string },
): Promise<Buffer> {
  const parse = express.raw({ limit, type: type ?? (() => true), inflate: false });
  await new Promise<void>((resolve, reject) => {
    parse(req, res, (error?: unknown) => (error ? reject(error) : resolve()));
  });
  const body: unknown = req.body;
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
}
