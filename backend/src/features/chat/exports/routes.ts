import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import express, { type RequestHandler, type Response, Router } from 'express';
import { requireRegistered } from '../../../access/index.ts';
import { ExportQuery, ImportConversationBody } from '../../../contract/exports.ts';
import { MAX_IMPORT_BYTES } from '../../../contract/limits.ts';
import { unavailable } from '../../../errors.ts';
import { actorOf, byUser, handler, IdParams, type RateLimit } from '../../../http/index.ts';
import { contentDisposition } from '../../../text/file-name.ts';
import type { ConversationFile, ExportConversation } from './export.ts';
import type { ImportConversation } from './import.ts';

/** A file as a JSON string: its quotes and line breaks take two characters each. */
const BODY_LIMIT = 2 * MAX_IMPORT_BYTES + 1_024;
/** Imports of a process at the same time: they bound its memory. */
const MAX_AT_ONCE = 3;

interface ExportRoutesDeps {
  exportConversation: ExportConversation;
  rateLimit: RateLimit;
}

export function exportRoutes({ exportConversation, rateLimit }: ExportRoutesDeps): Router {
  const router = Router();
  router.get(
    '/conversations/:id/export',
    rateLimit({ name: 'exports', points: 30, seconds: 60, key: byUser }),
    handler({ params: IdParams, query: ExportQuery }, async ({ actor, params, query, res }) =>
      send(res, await exportConversation(actor, params.id, query.format)),
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

interface ImportRoutesDeps {
  importConversation: ImportConversation;
  rateLimit: RateLimit;
}

/** Mounted before the JSON parser of the other routes: its bodies are larger. */
export function importRoutes({ importConversation, rateLimit }: ImportRoutesDeps): Router {
  const router = Router();
  router.post(
    '/conversations/import',
    rateLimit({ name: 'imports', points: 30, seconds: 3_600, key: byUser }),
    onlyRegistered,
    limitConcurrency(MAX_AT_ONCE),
    express.json({ limit: BODY_LIMIT }),
    handler({ body: ImportConversationBody }, ({ actor, body, res }) => {
      res.status(201);
      return importConversation(actor, body);
    }),
  );
  return router;
}

/** Guests are refused before their file is read. */
const onlyRegistered: RequestHandler = async (req, _res, next) => {
  const actor = await actorOf(req);
  if (actor) requireRegistered(actor);
  next();
};

function limitConcurrency(limit: number): RequestHandler {
  let running = 0;
  return (_req, res, next) => {
    if (running >= limit) throw unavailable();
    running += 1;
    res.once('close', () => {
      running -= 1;
    });
    next();
  };
}
