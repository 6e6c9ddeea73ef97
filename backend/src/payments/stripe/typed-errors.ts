import type { PaymentGateway } from '../port.ts';

/** The gateway with every rejection converted by `toError`. */
export function withErrors(
  gateway: PaymentGateway,
  toError: (error: unknown) => unknown,
): PaymentGateway {
  const typed =
    <Args extends unknown[], Result>(method: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      try {
        return await method(...args);
      } catch (error) {
        throw toError(error);
      }
    };
  return {
    createCheckout: typed(gateway.createCheckout),
    findCheckout: typed(gateway.findCheckout),
    expireCheckout: typed(gateway.expireCheckout),
    findSubscription: typed(gateway.findSubscription),
    listSubscriptions: typed(gateway.listSubscriptions),
    allSubscriptions: async function* () {
      try {
        yield* gateway.allSubscriptions();
      } catch (error) {
        throw toError(error);
      }
    },
    changePrice: typed(gateway.changePrice),
    previewChange: typed(gateway.previewChange),
    setCancellation: typed(gateway.setCancellation),
    cancelNow: typed(gateway.cancelNow),
    createPortal: typed(gateway.createPortal),
    listInvoices: typed(gateway.listInvoices),
    readEvent: typed(gateway.readEvent),
    removeCustomer: typed(gateway.removeCustomer),
  };
}
