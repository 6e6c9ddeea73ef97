import { type RequestHandler, Router } from 'express';
import {
  type DataExportAddress,
  type DataExportResult,
  DeletionParams,
  type DeletionPreview,
  type DeletionReceipt,
} from '../../contract/privacy.ts';
import type { PrivacyStatement } from '../../contract/privacy-statement.ts';
import { byAddress, byUser, handler, openHandler, type RateLimit } from '../../http/index.ts';
import type { SecurityEvent } from '../../security-log.ts';
import { previewDeletion, readReceipt } from './deletion/receipts.ts';
import { exportAddress, findExport, requestExport } from './exports.ts';
import type { PrivacyFeature } from './feature.ts';

interface Tools {
  statement: PrivacyStatement;
  rateLimit: RateLimit;
  /** Handlers that require proof of identity from the user of the account. */
  proof: (event: SecurityEvent) => RequestHandler[];
}

/** The public privacy statement, the user's export, and receipts of deletions. */
export const privacyRoutes = (privacy: PrivacyFeature, tools: Tools): Router =>
  Router().use(openRoutes(privacy, tools), exportRoutes(privacy, tools));

function openRoutes(privacy: PrivacyFeature, { statement, rateLimit }: Tools): Router {
  const router = Router();
  router.get(
    '/privacy',
    rateLimit({ name: 'privacy', points: 120, seconds: 60, key: byAddress }),
    openHandler({}, async (): Promise<PrivacyStatement> => statement),
  );
  router.get(
    '/deletions/:id',
    rateLimit({ name: 'deletions', points: 120, seconds: 60, key: byAddress }),
    openHandler(
      { params: DeletionParams },
      ({ params }): Promise<DeletionReceipt> => readReceipt(privacy, params.id),
    ),
  );
  return router;
}

function exportRoutes(privacy: PrivacyFeature, { rateLimit, proof }: Tools): Router {
  const router = Router();
  router.get(
    '/account/deletion',
    handler({}, ({ actor }): Promise<DeletionPreview> => previewDeletion(privacy, actor)),
  );
  router.get(
    '/account/export',
    handler(
      {},
      async ({ actor }): Promise<DataExportResult> => ({
        export: await findExport(privacy, actor),
      }),
    ),
  );
  router.post(
    '/account/export',
    ...proof('export_requested'),
    rateLimit({ name: 'data-exports', points: 5, seconds: 86_400, key: byUser }),
    handler({ status: 202 }, async ({ actor }): Promise<DataExportResult> => {
      return { export: await requestExport(privacy, actor) };
    }),
  );
  router.post(
    '/account/export/address',
    ...proof('export_downloaded'),
    rateLimit({ name: 'export-downloads', points: 60, seconds: 3_600, key: byUser }),
    handler({}, ({ actor }): Promise<DataExportAddress> => exportAddress(privacy, actor)),
  );
  return router;
}
