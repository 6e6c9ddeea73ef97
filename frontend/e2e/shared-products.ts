import type { IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import type { TestProject } from 'vitest/node';
import { serve } from '../../backend/src/http/serve.fixture.ts';
import { startProduct } from './product.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Answers a POST of settings with the URL of the product that has them. */
    sharedProducts: string;
  }
}

/**
 * Vitest's global set-up: keeps the products that several files share, one for each group of settings. Each starts when
 * the first file asks for it and stops after the last file.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const products = new Map<string, ReturnType<typeof startProduct>>();

  const productWith = (settings: Record<string, string>) => {
    const names = Object.keys(settings).toSorted();
    const key = JSON.stringify(names.map((name) => [name, settings[name]]));
    const product = products.get(key) ?? startProduct(settings);
    products.set(key, product);
    return product;
  };
  const answer = async (req: IncomingMessage, res: ServerResponse) => {
    try {
      const { url } = await productWith((await json(req)) as Record<string, string>);
      res.end(url);
    } catch (error) {
      res.writeHead(500).end(String(error));
    }
  };
  const server = await serve((req, res) => void answer(req, res));
  project.provide('sharedProducts', server.url);

  return async () => {
    server.stop();
    const stops = [...products.values()].map(async (product) => (await product).stop());
    // One that did not start has nothing to stop.
    await Promise.allSettled(stops);
  };
}
