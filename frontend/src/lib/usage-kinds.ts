import type { UsageKind } from '@stolas/backend/contract';
import { t } from '../i18n/shared.ts';

/** What tokens were used for, in words of the interface (docs/product.md, 'Usage'). */
export const usageKindName = (kind: UsageKind): string => t(`${kind}Kind`);
