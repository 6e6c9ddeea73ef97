import type { UsageKind } from '@stolas/backend/contract';

/** What tokens were used for, in words of the interface (docs/product.md, 'Usage'). */
export const USAGE_KIND_NAMES: Record<UsageKind, string> = {
  reply: 'Replies',
  memory: 'Memory',
  check: 'Claim checks',
  title: 'Titles',
};
