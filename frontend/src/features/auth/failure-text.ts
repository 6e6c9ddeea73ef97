/** The text of a failed sign-in: the server's sentence, never the browser's message of a failed request. */
export const failureText = (error: unknown, fallback = FALLBACK): string =>
  error instanceof Error && !(error instanceof TypeError) && error.message
    ? error.message
    : fallback;

// Texts of docs/product.md, 'Error messages'.
const FALLBACK = 'Please try again or use another login method.';

export const GOOGLE_NOT_AVAILABLE = {
  variant: 'destructive',
  title: 'Google Sign-In Not Available',
  description: 'Please refresh the page and try again.',
} as const;
