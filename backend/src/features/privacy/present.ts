import type { DataExport } from '../../contract/privacy.ts';
import type { ExportRecord } from './export-model.ts';

export const presentExport = (record: ExportRecord): DataExport => ({
  id: record.exportId,
  state: record.state,
  progress: { done: record.done, total: record.total },
  ...(record.size != null && { size: record.size }),
  requestedAt: record.requestedAt.toISOString(),
  ...(record.expiresAt && { expiresAt: record.expiresAt.toISOString() }),
});
