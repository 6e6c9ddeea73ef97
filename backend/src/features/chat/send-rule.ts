import { byUser, type RateRule } from '../../http/index.ts';

/** How many messages a user may send. It counts while the route reads. */
export const SEND_RULE = {
  name: 'messages',
  points: 120,
  seconds: 60,
  key: byUser,
  beside: true,
} satisfies RateRule;
