/** What a failed sign-in says: the server's sentence, never the browser's own words for a failed request. */
export const failureText = (error: unknown, fallback = FALLBACK): string =>
  error instanceof Error && !(error instanceof TypeError) && error.message
    ? error.message
    : fallback;

// Texts of docs/product.md, 'Errors'.
const FALLBACK = 'Please try again or use another login method.';

export const GOOGLE_NOT_AVAILABLE = {
  variant: 'destructive',
  title: 'Google Sign-In Not Available',
  description: 'Please refresh the page and try again.',
} as const;
