import { pipeline } from 'node:stream/promises';
import { type Response, Router } from 'express';
import * as z from 'zod';
import {
  AllowLinksBody,
  ContinueShareBody,
  CreateShareBody,
  SharedPageQuery,
  ShareId,
  SharePreviewBody,
} from '../../contract/shares.ts';
import {
  byAddress,
  byUser,
  handler,
  IdParams,
  openHandler,
  type RateLimit,
  setHeader,
} from '../../http/index.ts';
import type { OpenedContent } from '../files/index.ts';
import type { SharesFeature } from './feature.ts';
import { allowLinks, listWorkspaceShares, revokeInWorkspace } from './in-workspace.ts';
import {
  createShare,
  listShares,
  listSharesOf,
  previewShare,
  revokeAll,
  revokeShare,
} from './manage.ts';
import { continueShare, openShare, openSharedFile } from './open.ts';

const params = z.object({ id: ShareId });
const FileParams = params.extend({ ref: z.string().regex(/^[\w-]{22}$/) });
const WorkspaceShareParams = IdParams.extend({ shareId: ShareId });
const DownloadQuery = z.object({ download: z.enum(['true', 'false']).optional() });

export function shareRoutes(feature: SharesFeature, rateLimit: RateLimit): Router[] {
  return [
    ownRoutes(feature, rateLimit),
    openRoutes(feature, rateLimit),
    adminRoutes(feature, rateLimit),
  ];
}

function ownRoutes(feature: SharesFeature, rateLimit: RateLimit): Router {
  const router = Router();
  const changes = rateLimit({ name: 'shares', points: 60, seconds: 60, key: byUser });
  router.get(
    '/shares',
    handler({}, ({ actor }) => listShares(feature, actor)),
  );
  router.get(
    '/conversations/:id/shares',
    handler({ params: IdParams }, ({ actor, params: { id } }) => listSharesOf(feature, actor, id)),
  );
  router.post(
    '/shares/preview',
    changes,
    handler({ body: SharePreviewBody }, ({ actor, body }) => previewShare(feature, actor, body)),
  );
  router.post(
    '/shares',
    changes,
    handler({ body: CreateShareBody, status: 201 }, ({ actor, body }) =>
      createShare(feature, actor, body),
    ),
  );
  router.delete(
    '/shares',
    changes,
    handler({}, ({ actor }) => revokeAll(feature, actor)),
  );
  router.delete(
    '/shares/:id',
    changes,
    handler({ params }, ({ actor, params: { id } }) => revokeShare(feature, actor, id)),
  );
  router.post(
    '/shares/:id/continue',
    rateLimit({ name: 'imports', points: 30, seconds: 3_600, key: byUser }),
    handler({ params, body: ContinueShareBody, status: 201 }, ({ actor, params: { id }, body }) =>
      continueShare(feature, actor, { id, ...body }),
    ),
  );
  return router;
}

/** Search engines must not list what an answer shows. */
const noIndex = setHeader('X-Robots-Tag', 'noindex');

/** The calls of a link's page. The limit by IP address bounds how many ids anybody can guess. */
function openRoutes(feature: SharesFeature, rateLimit: RateLimit): Router {
  const router = Router();
  const reads = rateLimit({ name: 'share-reads', points: 600, seconds: 60, key: byAddress });
  router.get(
    '/shares/:id',
    reads,
    noIndex,
    openHandler(
      { params, query: SharedPageQuery },
      async ({ actor, params: { id }, query, req, res }) => {
        const known = /^"([\w-]+)"$/.exec(req.get('if-none-match') ?? '')?.[1];
        const page = await openShare(feature, actor, { id, ...query, known });
        if (!page) return void res.status(304).end();
        res.set('ETag', `"${page.revision}"`);
        return page;
      },
    ),
  );
  router.get(
    '/shares/:id/files/:ref',
    reads,
    noIndex,
    openHandler(
      { params: FileParams, query: DownloadQuery },
      async ({ actor, params, query, res }) => {
        const download = query.download === 'true';
        await sendFile(feature, res, await openSharedFile(feature, actor, { ...params, download }));
      },
    ),
  );
  return router;
}

function adminRoutes(feature: SharesFeature, rateLimit: RateLimit): Router {
  const router = Router();
  const changes = rateLimit({ name: 'shares', points: 60, seconds: 60, key: byUser });
  router.get(
    '/workspaces/:id/shares',
    changes,
    handler({ params: IdParams }, ({ actor, params: { id } }) =>
      listWorkspaceShares(feature, actor, id),
    ),
  );
  router.delete(
    '/workspaces/:id/shares/:shareId',
    changes,
    handler({ params: WorkspaceShareParams }, ({ actor, params: { id, shareId } }) =>
      revokeInWorkspace(feature, actor, { workspaceId: id, id: shareId }),
    ),
  );
  router.put(
    '/workspaces/:id/links',
    changes,
    handler({ params: IdParams, body: AllowLinksBody }, ({ actor, params: { id }, body }) =>
      allowLinks(feature, actor, { workspaceId: id, ...body }),
    ),
  );
  return router;
}

/** The product sends it itself: an address of the store would name the owner, and work after the link has ended. */
async function sendFile(
  { downloads }: Pick<SharesFeature, 'downloads'>,
  res: Response,
  { type, disposition, size, read }: OpenedContent,
): Promise<void> {
  const gone = new AbortController();
  res.once('close', () => gone.abort());
  const send = async () => {
    const content = await read(gone.signal);
    res.set({
      'Content-Type': type,
      'Content-Length': String(size),
      'Content-Disposition': disposition,
      'Content-Security-Policy': "sandbox; default-src 'none'",
      'X-Content-Type-Options': 'nosniff',
    });
    await pipeline(content, res);
  };
  try {
    await downloads(send, { group: byAddress(res.req), signal: gone.signal });
  } catch (error) {
    if (!gone.signal.aborted) throw error;
  }
}
