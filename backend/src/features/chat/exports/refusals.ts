import { AppError, invalidField } from '../../../errors.ts';

/** Maximum length of an imported reply, in UTF-16 code units: several times the length of a generated one. */
export const MAX_REPLY_LENGTH = 400_000;

export const tooLarge = (): AppError =>
  new AppError('too_large', 'This file is too large to import.');

/** The error for a file that cannot be imported; the message gives the reason. */
export const refuse = (message: string): AppError => invalidField('text', message);
