/** The key of the embedded Stripe in tests, which makes payments test payments. */
export const TEST_KEY = 'sk_embedded_tests';
/** The secret that signs its events. */
export const WEBHOOK_SECRET = 'whsec_of_tests';
