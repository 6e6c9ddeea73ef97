import { randomUUID } from 'node:crypto';

export const PASSWORD = 'a long enough password';

export const newEmail = () => `${randomUUID()}@example.com`;
