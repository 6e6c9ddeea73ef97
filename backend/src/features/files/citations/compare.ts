import type { Citation, InsightCard } from '../../../contract/messages.ts';

export const comparisonsOf = (_citations: readonly Citation[]): InsightCard[] => [];
