import { t } from 'virtual:texts/chat';
import { type ContextReceipt, DEFAULT_DEPTH, type DepthReceipt } from '@stolas/backend/contract';
import { lazyPart } from '../../../ui/lazy-part.tsx';

/** The number of earlier messages that the prompt of a reply leaves out. */
export const leftOutOf = (receipt: ContextReceipt | undefined): number =>
  receipt?.parts.find(({ part }) => part === 'history')?.leftOut ?? 0;

/** Below the last reply, when the conversation no longer fits into a prompt. */
export function LeftOut({ receipt }: { receipt: ContextReceipt | undefined }) {
  const count = leftOutOf(receipt);
  return count > 0 ? <p className="mt-3 text-xs text-muted">{t('notSent', { count })}</p> : null;
}

const Note = lazyPart(async () => (await import('./depth-receipt.tsx')).DepthNote);

/**
 * Whether another model or depth was applied than the user chose. The model's default is no difference when the user
 * chose no depth.
 */
const differs = ({ requested, applied, requestedModel }: DepthReceipt): boolean =>
  requestedModel !== undefined ||
  (applied !== requested && !(applied === 'default' && requested === DEFAULT_DEPTH));

/** Below a reply: the depth or model that was applied instead of the requested one. */
export const DepthDifference = ({ receipt }: { receipt: DepthReceipt | undefined }) =>
  receipt && differs(receipt) ? <Note receipt={receipt} /> : null;
