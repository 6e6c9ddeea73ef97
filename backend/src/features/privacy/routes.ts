import { type RequestHandler, Router } from 'express';
import { DeletionParams, type DeletionReceipt } from '../../contract/deletion.ts';
import type { DataExportAddress, DataExportResult } from '../../contract/privacy.ts';
import type { PrivacyStatement } from '../../contract/privacy-statement.ts';
import { byAddress, byUser, handler, openHandler, type RateLimit } from '../../http/index.ts';
import type { SecurityEvent } from '../../security-log.ts';
import type { createDeletionService } from './deletion/service.ts';
import type { PrivacyService } from './service.ts';

interface RoutesDeps {
  privacy: PrivacyService & ReturnType<typeof createDeletionService>;
  statement: PrivacyStatement;
  rateLimit: RateLimit;
  /** Handlers that let the call of an account's own user pass. */
  proof: (event: SecurityEvent) => RequestHandler[];
}

/** What is kept of users: the statement for everybody, the user's export, and receipts of deletions. */
export function privacyRoutes(deps: RoutesDeps): Router {
  return Router().use(openRoutes(deps), exportRoutes(deps));
}

function openRoutes({ privacy, statement, rateLimit }: RoutesDeps): Router {
  const router = Router();
  router.get(
    '/privacy',
    rateLimit({ name: 'privacy', points: 120, seconds: 60, key: byAddress }),
    openHandler({}, async (): Promise<PrivacyStatement> => statement),
  );
  router.get(
    '/deletions/:id',
    rateLimit({ name: 'deletions', points: 120, seconds: 60, key: byAddress }),
    openHandler({ params: DeletionParams }, ({ params, res }): Promise<DeletionReceipt> => {
      res.set('Cache-Control', 'no-store');
      return privacy.receipt(params.id);
    }),
  );
  return router;
}

function exportRoutes({ privacy, rateLimit, proof }: RoutesDeps): Router {
  const router = Router();
  router.get(
    '/account/export',
    handler(
      {},
      async ({ actor }): Promise<DataExportResult> => ({
        export: await privacy.find(actor),
      }),
    ),
  );
  router.post(
    '/account/export',
    ...proof('export_requested'),
    rateLimit({ name: 'data-exports', points: 5, seconds: 86_400, key: byUser }),
    handler({}, async ({ actor, res }): Promise<DataExportResult> => {
      res.status(202);
      return { export: await privacy.request(actor) };
    }),
  );
  router.post(
    '/account/export/address',
    ...proof('export_downloaded'),
    rateLimit({ name: 'export-downloads', points: 60, seconds: 3_600, key: byUser }),
    handler({}, ({ actor, res }): Promise<DataExportAddress> => {
      res.set('Cache-Control', 'no-store');
      return privacy.address(actor);
    }),
  );
  return router;
}
