import { DEFAULT_DEPTH, type DepthReceipt } from '@stolas/backend/contract';
import { lazy, Suspense } from 'react';

const Note = lazy(async () => ({ default: (await import('./depth-receipt.tsx')).DepthNote }));

/**
 * Whether something else was applied than the user chose: another model, or another depth. The model's own default is none for a
 * depth that nobody chose.
 */
const differs = ({ requested, applied, requestedModel }: DepthReceipt): boolean =>
  requestedModel !== undefined ||
  (applied !== requested && !(applied === 'default' && requested === DEFAULT_DEPTH));

/** Below a reply: which depth or model was applied instead of the one that was asked for. */
export const DepthDifference = ({ receipt }: { receipt: DepthReceipt | undefined }) =>
  receipt && differs(receipt) ? (
    <Suspense>
      <Note receipt={receipt} />
    </Suspense>
  ) : null;
