import type { Server } from 'node:http';
import { afterAll } from 'vitest';
import { serve } from '../src/http/serve.fixture.ts';

/**
 * Starts a server on a free port until the tests of the file have ended.
 * @returns its URL
 */
export async function listen(server: Server): Promise<string> {
  const { url, stop } = await serve(server);
  afterAll(stop);
  return url;
}
