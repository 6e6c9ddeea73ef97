import type { Simulator } from './simulator/simulator.ts';

/** The provider behind the API and the pages. */
export interface Provider {
  simulator: Simulator;
  /** Where users open the product, which shows the pages; without a slash at the end. */
  pagesUrl: string;
  /** Subscriptions in an answer, at most. */
  pageSize: number;
}
