/** `queued` and `streaming` are active; the other four are terminal. */
export type ReplyStatus =
  | 'queued'
  | 'streaming'
  | 'complete'
  | 'failed'
  | 'stopped'
  | 'interrupted';

/** Why a complete reply ends where it does: `length`: it is as long as its depth allows, and may be continued. */
export const REPLY_ENDINGS = ['length'] as const;
export type ReplyEnding = (typeof REPLY_ENDINGS)[number];

export const isActive = (status: ReplyStatus): boolean =>
  status === 'queued' || status === 'streaming';
