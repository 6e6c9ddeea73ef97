import { AppError } from '../../../errors.ts';

/** Longest imported reply, in UTF-16 code units; several times what a model writes. */
export const MAX_REPLY_LENGTH = 400_000;

export const tooLarge = (): AppError =>
  new AppError('too_large', 'This file is too large to import.');

/** A file that cannot be imported; the message says why. */
export const refuse = (message: string): AppError =>
  new AppError('invalid_field', message, { details: { field: 'text' } });
