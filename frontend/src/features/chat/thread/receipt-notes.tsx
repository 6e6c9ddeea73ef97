import { t } from 'virtual:texts/chat';
import { type ContextReceipt, DEFAULT_DEPTH, type DepthReceipt } from '@stolas/backend/contract';
import { lazy, Suspense } from 'react';

/** How many earlier messages the prompt of a reply was made without. */
export const leftOutOf = (receipt: ContextReceipt | undefined): number =>
  receipt?.parts.find(({ part }) => part === 'history')?.leftOut ?? 0;

/** Below the last reply, when the conversation does not fit into a prompt any more. */
export function LeftOut({ receipt }: { receipt: ContextReceipt | undefined }) {
  const count = leftOutOf(receipt);
  return count > 0 ? <p className="mt-3 text-xs text-muted">{t('notSent', { count })}</p> : null;
}

const Note = lazy(async () => ({ default: (await import('./depth-receipt.tsx')).DepthNote }));

/**
 * Whether something else was applied than the user chose: another model, or another depth. The model's own default is no
 * difference when the user chose no depth.
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
