/** Where people pay. */
export interface PaymentGateway {
  /** Has the provider forget a customer, subscriptions and cards included. One that is gone already is fine. */
  removeCustomer: (customerId: string) => Promise<void>;
}
