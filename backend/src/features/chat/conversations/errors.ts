import { AppError } from '../../../errors.ts';

/** One reply at a time per conversation. */
export const replyInProgress = (): AppError =>
  new AppError('reply_in_progress', 'Wait for the reply that is being written, or stop it.');
