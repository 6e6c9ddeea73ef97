/** How a user came back to /subscription from a payment page (docs/product.md, 'Subscription'). */
export type PaymentReturn =
  | { kind: 'paid'; isUpgrade: boolean; sessionId: string | null }
  | { kind: 'canceled'; isUpgrade: boolean };

/** @param search the query of the address. @returns null when the user does not come from a payment page */
export function readPaymentReturn(search: string): PaymentReturn | null {
  const params = new URLSearchParams(search);
  const isSet = (name: string) => params.get(name) === 'true';
  const isUpgrade = isSet('upgrade') || isSet('upgrade_cancelled');
  if (isSet('canceled') || isSet('upgrade_cancelled')) return { kind: 'canceled', isUpgrade };
  if (isSet('success')) return { kind: 'paid', isUpgrade, sessionId: params.get('session_id') };
  return null;
}
