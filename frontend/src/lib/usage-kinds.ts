import { t } from 'virtual:texts/shared';
import type { UsageKind } from '@stolas/backend/contract';

/** The purposes of tokens, in words of the interface (docs/product.md, 'Usage'). */
export const usageKindName = (kind: UsageKind): string => t(`${kind}Kind`);
