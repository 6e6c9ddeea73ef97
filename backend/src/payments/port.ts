/** The payment provider. */
export interface PaymentGateway {
  /**
   * Deletes a customer at the provider, with subscriptions and cards. Succeeds when the customer does not exist any
   * more.
   */
  removeCustomer: (customerId: string) => Promise<void>;
}
