import { type Response, Router } from 'express';
import { ExportQuery } from '../../../contract/conversations.ts';
import { MAX_IMPORT_BYTES } from '../../../contract/limits.ts';
import {
  byUser,
  createConcurrencyLimit,
  handler,
  IdParams,
  type RateLimit,
  readBody,
  sendText,
} from '../../../http/index.ts';
import { contentDisposition } from '../../../text/file-name.ts';
import type { ChatFeature } from '../feature.ts';
import { type ConversationFile, exportConversation } from './export.ts';
import { type Imports, importConversation } from './import.ts';

/** For a file as a JSON string, in which quotes and line breaks take two characters each. */
const BODY_LIMIT = 2 * MAX_IMPORT_BYTES + 1_024;
/** Imports at the same time per process: they bound its memory. */
const MAX_IMPORTS = 8;
/** Exports at the same time per user: the duration of each depends on its conversation. */
const MAX_EXPORTS = 2;

export function exportRoutes(chat: ChatFeature, rateLimit: RateLimit): Router {
  const router = Router();
  const perUser = createConcurrencyLimit(MAX_EXPORTS);
  router.get(
    '/conversations/:id/export',
    rateLimit({ name: 'exports', points: 30, seconds: 60, key: byUser }),
    handler({ params: IdParams, query: ExportQuery }, ({ actor, params, query, res }) =>
      perUser(actor.userId, async () =>
        send(res, await exportConversation(chat, actor, { id: params.id, format: query.format })),
      ),
    ),
  );
  return router;
}

async function send(res: Response, { name, type, text }: ConversationFile): Promise<void> {
  res.type(`${type}; charset=utf-8`);
  res.set('Content-Disposition', contentDisposition('attachment', name));
  await sendText(res, text);
}

/** Mounted before the JSON parser of the other routes: the bodies are larger, and a child of the file reader parses them. */
export function importRoutes(chat: Imports, rateLimit: RateLimit): Router {
  const router = Router();
  const perUser = createConcurrencyLimit(1);
  const perProcess = createConcurrencyLimit(MAX_IMPORTS);
  router.post(
    '/conversations/import',
    rateLimit({ name: 'imports', points: 30, seconds: 3_600, key: byUser }),
    handler({ status: 201 }, ({ actor, req, res }) => {
      const read = async () => {
        const body = await readBody({ req, res }, { type: 'json', limit: BODY_LIMIT });
        // A body of another type counts as an empty object, which the schema rejects.
        return body.length > 0 ? body : Buffer.from('{}');
      };
      return perUser(actor.userId, () =>
        perProcess('all', () => importConversation(chat, actor, read)),
      );
    }),
  );
  return router;
}
