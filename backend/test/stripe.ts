/** The key of the embedded Stripe in tests: with it payments are tests. */
export const TEST_KEY = 'sk_embedded_tests';
/** What signs its events. */
export const WEBHOOK_SECRET = 'whsec_of_tests';
