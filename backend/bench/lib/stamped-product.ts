import { startProduct, startServices } from '../../../frontend/e2e/product.ts';
import { startStampedProvider } from './stamped-provider.ts';

/** Starts the product without limits of its own on a provider whose chunks have the time at which they were sent. */
export async function startStampedProduct(env: Record<string, string> = {}) {
  const provider = await startStampedProvider();
  const product = await startProduct({
    ...provider.settings,
    RATE_LIMITS: 'false',
    GUESTS_PER_HOUR: '1000000',
    GUEST_TOKENS_PER_HOUR: '1000000000000',
    ...env,
  });
  return {
    provider,
    product,
    stop: async () => {
      await product.stop();
      provider.stop();
    },
  };
}

/** The same with services of its own, whose database the bench fills. */
export async function startSeededProduct() {
  const services = await startServices({ OPENAI_API_KEY: 'bench' });
  const started = await startStampedProduct(services.settings);
  return {
    ...started,
    databaseUri: services.settings.MONGODB_URI ?? '',
    stop: async () => {
      await started.stop();
      await services.stop();
    },
  };
}
