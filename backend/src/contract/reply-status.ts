/** `queued` and `streaming` are active; the other four are terminal. */
export type ReplyStatus =
  | 'queued'
  | 'streaming'
  | 'complete'
  | 'failed'
  | 'stopped'
  | 'interrupted';

export const isActive = (status: ReplyStatus): boolean =>
  status === 'queued' || status === 'streaming';
