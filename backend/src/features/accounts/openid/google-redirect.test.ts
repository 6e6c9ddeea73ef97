import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { afterEach, describe, expect, it } from 'vitest';
import type * as z from 'zod';
import { SignInFailedError } from './failure.ts';
import type { Flow } from './flow.ts';
import {
  createGooglePassport,
  finishGoogle,
  type GoogleFlow,
  redirectToGoogle,
} from './google-redirect.ts';
import { createProvider } from './provider.ts';

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A provider that answers discovery, optionally issues a token, and then stops answering. */
function startGoogle({ givesToken }: { givesToken: boolean }): Promise<string> {
  return serve((req, res) => {
    const issuer = `http://${req.headers.host}`;
    const answers: Record<string, object | false> = {
      '/.well-known/openid-configuration': {
        issuer,
        authorization_endpoint: `${issuer}/auth`,
        token_endpoint: `${issuer}/token`,
        userinfo_endpoint: `${issuer}/userinfo`,
      },
      '/token': givesToken && { access_token: 'x', token_type: 'Bearer' },
    };
    const body = answers[req.url ?? ''];
    if (body) res.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  });
}

describe('coming back from a Google that', () => {
  it.each([
    ['does not answer to the code', { givesToken: false }],
    ['does not say who it is', { givesToken: true }],
  ])('%s ends as a failed sign-in instead of never', async (_what, answers) => {
    let kept: z.infer<typeof GoogleFlow> | null = null;
    const flow: Flow<z.infer<typeof GoogleFlow>> = {
      begin: async (_req, _res, { data }) => {
        kept = data;
      },
      take: async () => kept,
    };
    const passport = createGooglePassport({
      provider: createProvider({
        issuer: await startGoogle(answers),
        clientId: 'client',
        clientSecret: 'secret',
      }),
      flow,
      clientId: 'client',
      clientSecret: 'secret',
      redirectUri: 'http://localhost/callback',
    });
    const google = { passport, timeoutMs: 100 };
    const app = express();
    app.get('/start', (req, res) => redirectToGoogle(google, req, res));
    app.get('/callback', async (req, res) => {
      const error = await finishGoogle(google, req, res).catch((thrown: unknown) => thrown);
      res.json(
        error instanceof SignInFailedError ? { reason: error.reason } : { error: String(error) },
      );
    });
    const url = await serve(app);
    const left = await fetch(`${url}/start`, { redirect: 'manual' });
    const state = new URL(left.headers.get('location') ?? '').searchParams.get('state');
    const end = await fetch(`${url}/callback?code=x&state=${state}`);
    expect(await end.json()).toEqual({ reason: 'failed' });
  });
});
