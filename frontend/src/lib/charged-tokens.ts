import type { UsageSummary } from '@stolas/backend/contract';

/** Tokens that were charged for good. Not in the contract: a value from a file with schemas would bring zod to the page. */
export const chargedTokens = ({ used, reserved }: UsageSummary): number => used - reserved;
