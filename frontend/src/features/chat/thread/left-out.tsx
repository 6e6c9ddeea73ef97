import { t } from 'virtual:texts/chat';
import type { ContextReceipt } from '@stolas/backend/contract';

/** How many earlier messages the prompt of a reply was made without. */
export const leftOutOf = (receipt: ContextReceipt | undefined): number =>
  receipt?.parts.find(({ part }) => part === 'history')?.leftOut ?? 0;

/** Below the last reply, when the conversation does not fit into a prompt any more. */
export function LeftOut({ receipt }: { receipt: ContextReceipt | undefined }) {
  const count = leftOutOf(receipt);
  return count > 0 ? <p className="mt-3 text-xs text-muted">{t('notSent', { count })}</p> : null;
}
