import type { SignInProvider } from '@stolas/backend/contract';

/** The names of sign-in providers. */
export const PROVIDERS: Record<SignInProvider, string> = { google: 'Google', replit: 'Replit' };
