import { t } from 'virtual:texts/depth';
import type { DepthReceipt } from '@stolas/backend/contract';
import { formatTenths } from '../../../lib/number.ts';

const nameOf = (depth: DepthReceipt['applied']): string =>
  depth === 'default' ? t('default') : t(depth);

/** Below a reply whose depth or model differs from the requested one. */
export const DepthNote = ({ receipt }: { receipt: DepthReceipt }) => (
  <p className="mt-3 text-xs text-muted">
    {[differenceText(receipt), modelText(receipt)].filter(Boolean).join(' ')}
  </p>
);

/** The model of the reply, when it differs from the model of the persona. */
export const modelText = ({ requestedModel, model }: DepthReceipt): string | undefined =>
  requestedModel && t('modelMissing', { requested: requestedModel, model });

/** The applied depth, when it differs from the requested one. */
export function differenceText({ requested, applied }: DepthReceipt): string | undefined {
  if (applied === requested) return undefined;
  return applied === 'default'
    ? t('differsDefault', { requested: t(requested) })
    : t('differs', { requested: t(requested), applied: t(applied) });
}

/** Lines of the details of a reply: term and value. */
export function depthLines(receipt: DepthReceipt): [string, string][] {
  const seconds = (ms: number) => t('seconds', { seconds: formatTenths(ms / 1_000) });
  return [
    [t('requested'), nameOf(receipt.requested)],
    [t('applied'), nameOf(receipt.applied)],
    [t('parameter'), receipt.parameter ?? t('none')],
    ...(receipt.firstTokenMs === null
      ? []
      : [[t('firstToken'), seconds(receipt.firstTokenMs)] satisfies [string, string]]),
    [t('total'), seconds(receipt.totalMs)],
  ];
}

export const refusalText = ({ refused }: DepthReceipt): string | undefined =>
  refused && t('refused', { parameter: refused });
