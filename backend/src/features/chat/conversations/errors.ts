import { AppError } from '../../../errors.ts';

/** One reply at a time per conversation. */
export const replyInProgress = (): AppError =>
  new AppError('reply_in_progress', 'Wait for the reply that is being written, or stop it.');

/** A panel needs a fusion with at least two remaining members. */
export const noPanel = () =>
  new AppError(
    'invalid_field',
    'Only a fusion can answer as a panel. Choose one whose personas still exist, or ask for one answer.',
    { details: { field: 'panel' } },
  );

export const noSuchPersona = () =>
  new AppError('not_found', 'This persona was deleted. Choose another one, then send again.', {
    details: { field: 'personaId' },
  });
