import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import express, { type Request, type RequestHandler, type Response, Router } from 'express';
import { requireRegistered } from '../../../access/index.ts';
import { ExportQuery } from '../../../contract/conversations.ts';
import { MAX_IMPORT_BYTES } from '../../../contract/limits.ts';
import { unavailable } from '../../../errors.ts';
import { actorOf, byUser, handler, IdParams, type RateLimit } from '../../../http/index.ts';
import { contentDisposition } from '../../../text/file-name.ts';
import type { ChatFeature } from '../feature.ts';
import { type ConversationFile, exportConversation } from './export.ts';
import { type Imports, importConversation } from './import.ts';

/** For a file as a JSON string, in which quotes and line breaks take two characters each. */
const BODY_LIMIT = 2 * MAX_IMPORT_BYTES + 1_024;
/** Imports at the same time per process: they bound its memory. */
const MAX_IMPORTS = 3;
/** Exports at the same time per user: the duration of each depends on its conversation. */
const MAX_EXPORTS = 2;

export function exportRoutes(chat: ChatFeature, rateLimit: RateLimit): Router {
  const router = Router();
  router.get(
    '/conversations/:id/export',
    rateLimit({ name: 'exports', points: 30, seconds: 60, key: byUser }),
    limitConcurrency(MAX_EXPORTS, byUser),
    handler({ params: IdParams, query: ExportQuery }, async ({ actor, params, query, res }) =>
      send(res, await exportConversation(chat, actor, { id: params.id, format: query.format })),
    ),
  );
  return router;
}

async function send(res: Response, { name, type, text }: ConversationFile): Promise<void> {
  res.type(`${type}; charset=utf-8`);
  res.set('Content-Disposition', contentDisposition('attachment', name));
  try {
    await pipeline(Readable.from(text), res);
  } catch (error) {
    if (!isAborted(error)) throw error;
  }
}

/** The user has cancelled the download. */
const isAborted = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';

/** Mounted before the JSON parser of the other routes: the bodies are larger, and a child of the file reader parses them. */
export function importRoutes(chat: Imports, rateLimit: RateLimit): Router {
  const router = Router();
  router.post(
    '/conversations/import',
    rateLimit({ name: 'imports', points: 30, seconds: 3_600, key: byUser }),
    onlyRegistered,
    limitConcurrency(MAX_IMPORTS, () => 'all'),
    express.raw({ type: 'json', limit: BODY_LIMIT }),
    handler({}, ({ actor, req, res }) => {
      const body: unknown = req.body;
      res.status(201);
      // A body of another type counts as an empty object, which the schema rejects.
      return importConversation(chat, actor, Buffer.isBuffer(body) ? body : Buffer.from('{}'));
    }),
  );
  return router;
}

/** Guests are rejected before their file is read. */
const onlyRegistered: RequestHandler = async (req, _res, next) => {
  const actor = await actorOf(req);
  if (actor) requireRegistered(actor);
  next();
};

/** Rejects requests beyond `limit` that run at the same time and have the same key. */
function limitConcurrency(
  limit: number,
  keyOf: (req: Request) => string | Promise<string>,
): RequestHandler {
  const running = new Map<string, number>();
  return async (req, res, next) => {
    const key = await keyOf(req);
    // The request has closed meanwhile, so its end would never be counted.
    if (res.closed) return;
    const others = running.get(key) ?? 0;
    if (others >= limit) throw unavailable();
    running.set(key, others + 1);
    res.once('close', () => {
      const left = (running.get(key) ?? 1) - 1;
      if (left > 0) running.set(key, left);
      else running.delete(key);
    });
    next();
  };
}
