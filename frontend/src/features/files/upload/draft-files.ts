import type { UserFile } from '@stolas/backend/contract';

/** Attaches a stored file to the message that is being written. */
export const attachToDraft = (_file: UserFile): void => undefined;
