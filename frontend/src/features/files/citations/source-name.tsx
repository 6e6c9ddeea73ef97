import type { Citation } from '@stolas/backend/contract';
import { FileText } from 'lucide-react';

/** The file and the page of a citation, in one line. */
export const SourceName = ({ citation }: { citation: Citation }) => (
  <span className="flex min-w-0 items-center gap-1.5 text-xs text-muted">
    <FileText aria-hidden="true" className="size-3.5 shrink-0" />
    <bdi className="truncate" title={citation.fileName}>
      {citation.fileName}
    </bdi>
    <span className="shrink-0">· page {citation.page}</span>
  </span>
);
