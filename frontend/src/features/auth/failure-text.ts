/** What a failed sign-in says: the server's sentence, never the browser's own words for a network that is away. */
export const failureText = (error: unknown, fallback = FALLBACK): string =>
  error instanceof Error && !(error instanceof TypeError) && error.message
    ? error.message
    : fallback;

// Specification section 8.
const FALLBACK = 'Please try again or use another login method.';
