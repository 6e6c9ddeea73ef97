import { type Product, startProduct } from '../../../frontend/e2e/product.ts';
import { startStampedProvider } from './stamped-provider.ts';

/** Starts the product without limits of its own on a provider whose chunks have the time at which they were sent. */
export async function startStampedProduct(env: Record<string, string> = {}): Promise<{
  provider: Awaited<ReturnType<typeof startStampedProvider>>;
  product: Product;
  stop: () => Promise<void>;
}> {
  const provider = await startStampedProvider();
  const product = await startProduct({
    OPENAI_BASE_URL: provider.url,
    OPENAI_API_KEY: 'bench',
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
