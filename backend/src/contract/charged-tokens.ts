import type { UsageSummary } from './usage.ts';

// In a file without schemas: the first page of the frontend would load their library with it.
/** Tokens that were charged for good. */
export const chargedTokens = ({ used, reserved }: UsageSummary): number => used - reserved;
