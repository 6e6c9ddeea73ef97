import type { SourceRef } from '@stolas/backend/contract';
import type { FilePlace } from '../place.ts';

/** Where the viewer opens for a source. */
export const placeOf = ({ fileId, page, start, end }: SourceRef): FilePlace => ({
  fileId,
  page,
  mark: { start, end },
});
