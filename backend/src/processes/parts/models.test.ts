import { expect, it } from 'vitest';
import { freePort } from '../../../embedded/run/ports.ts';
import { ConfigSchema } from '../../config.ts';
import { ProviderError } from '../../llm/index.ts';
import { createModels } from './models.ts';

/** The failure of a model on a port where nothing listens. */
async function failureIn(NODE_ENV: 'production' | 'development') {
  const baseUrl = `http://127.0.0.1:${await freePort()}/v1`;
  const { provider } = createModels({
    NODE_ENV,
    OPENAI_BASE_URL: baseUrl,
    OPENAI_API_KEY: 'sk-secret',
    OPENAI_MODEL: 'llama3.2',
    MODEL_REGISTRY: [],
    PROVIDER_IDLE_SECONDS: ConfigSchema.shape.PROVIDER_IDLE_SECONDS.parse(undefined),
  });
  const { signal } = new AbortController();
  const events = provider.stream({
    messages: [{ role: 'user', content: 'Hello' }],
    signal,
    maxTokens: 5,
  });
  const error: unknown = await events[Symbol.asyncIterator]()
    .next()
    .catch((thrown: unknown) => thrown);
  if (!(error instanceof ProviderError)) throw new Error('The model has answered.');
  return { error, baseUrl };
}

it('never shows users in production why the model does not answer', async () => {
  const { error, baseUrl } = await failureIn('production');
  expect(error.shownCause).toBeUndefined();
  expect(error.message).not.toContain(baseUrl);
  expect(error.cause).toContain(baseUrl);
});

it('shows it outside production, without the key', async () => {
  const { error, baseUrl } = await failureIn('development');
  expect(error.shownCause).toBe(
    `llama3.2 at ${baseUrl}: connection refused; start the server there, or check OPENAI_BASE_URL`,
  );
});
