import type { Citation } from '@stolas/backend/contract';
import { SourceLine } from '../../../ui/insight-look.tsx';

/** The file and the page of a citation, in one line. */
export const SourceName = ({ citation }: { citation: Citation }) => (
  <SourceLine fileName={citation.fileName} page={citation.page} />
);
