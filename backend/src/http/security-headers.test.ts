import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { expect, it } from 'vitest';
import { securityHeaders } from './security-headers.ts';

/** The content security policy under these settings, by directive. */
async function policyOf(settings: Parameters<typeof securityHeaders>[0]) {
  const app = express().use(securityHeaders(settings), (_req, res) => void res.end());
  const server = createServer(app).listen(0, '127.0.0.1');
  try {
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const { headers } = await fetch(`http://127.0.0.1:${port}/`);
    const directives = (headers.get('content-security-policy') ?? '').split(';');
    return new Map(
      directives.map((text) => {
        const [name = '', ...sources] = text.trim().split(' ');
        return [name, sources];
      }),
    );
  } finally {
    server.close();
  }
}

it('admits the payment form of Stripe only where it is shown', async () => {
  for (const settings of [{}, { STRIPE_UI: 'hosted' } as const]) {
    const hosted = await policyOf(settings);
    expect(hosted.get('frame-src')).toEqual([
      expect.stringMatching(/^127\.0\.0\.1:\d+\/frames\/$/),
    ]);
    expect([...hosted.values()].flat().join(' ')).not.toContain('stripe');
  }
  const embedded = await policyOf({ STRIPE_UI: 'embedded' });
  expect(embedded.get('script-src')).toEqual([
    "'self'",
    'https://js.stripe.com',
    'https://*.js.stripe.com',
  ]);
  expect(embedded.get('frame-src')).toEqual([
    expect.stringMatching(/\/frames\/$/),
    'https://js.stripe.com',
    'https://*.js.stripe.com',
    'https://hooks.stripe.com',
  ]);
  expect(embedded.get('connect-src')).toContain('https://api.stripe.com');
});

it('admits the payment form beside the sign-in widget of Google', async () => {
  const both = await policyOf({ STRIPE_UI: 'embedded', GOOGLE_CLIENT_ID: 'id' });
  expect(both.get('frame-src')).toContain('https://accounts.google.com/gsi/');
  expect(both.get('frame-src')).toContain('https://js.stripe.com');
});

it('lets pages call the object store and show its pictures, and run nothing of it', async () => {
  const origin = 'https://files.stolas.example';
  const policy = await policyOf({ objectOrigin: origin });
  const admitting = [...policy].filter(([, sources]) => sources.includes(origin));
  expect(admitting.map(([name]) => name)).toEqual(['img-src', 'connect-src']);
});
