import { createHash, randomBytes } from 'node:crypto';

/** 256 random bits cannot be guessed, so the stored hash needs no salt and no cost factor. */
export const newSecret = (): string => randomBytes(32).toString('base64url');

export const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex');
