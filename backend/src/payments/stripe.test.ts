import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { createStripeGateway } from './stripe/index.ts';

const MISSING = {
  error: { type: 'invalid_request_error', code: 'resource_missing', message: 'No such customer' },
};

/** A server that answers as Stripe does for one customer, and records its requests. */
async function stripe() {
  const customers = new Set(['cus_1']);
  const asked: string[] = [];
  const server = createServer((req, res) => {
    asked.push(`${req.method} ${req.url} ${req.headers.authorization}`);
    const id = req.url?.split('/').at(-1) ?? '';
    const known = customers.delete(id);
    const refused = id === 'cus_locked';
    res.writeHead(refused ? 403 : known ? 200 : 404, { 'content-type': 'application/json' });
    const error = { error: { type: 'invalid_request_error', message: 'Not allowed' } };
    res.end(JSON.stringify(refused ? error : known ? { id, deleted: true } : MISSING));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const STRIPE_API_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    asked,
    gateway: createStripeGateway({
      secretKey: 'sk_test_1',
      apiUrl: STRIPE_API_URL,
      webhookSecret: undefined,
      now: () => new Date(),
    }),
  };
}

it('deletes a customer at the provider, also when the provider has already deleted it', async () => {
  const { asked, gateway } = await stripe();
  await gateway.removeCustomer('cus_1');
  await gateway.removeCustomer('cus_1');
  expect(asked).toEqual(Array<string>(2).fill('DELETE /v1/customers/cus_1 Bearer sk_test_1'));
});

it('fails when the provider refuses, so that the job is retried', async () => {
  const { gateway } = await stripe();
  await expect(gateway.removeCustomer('cus_locked')).rejects.toThrow('Not allowed');
});
