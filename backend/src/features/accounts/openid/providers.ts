import type { Request, Response } from 'express';
import { publicUrl } from '../../../config.ts';
import type { SignInError } from '../../../contract/auth.ts';
import type { AccountsFeature } from '../feature.ts';
import type { Identified } from './authentication.ts';
import { SignInFailedError } from './failure.ts';
import { createFlow } from './flow.ts';
import { createKeys, type GoogleWidget, NonceFlow } from './google-credential.ts';
import {
  createGooglePassport,
  finishGoogle,
  GoogleFlow,
  redirectToGoogle,
} from './google-redirect.ts';
import { createProvider } from './provider.ts';
import { finishReplit, ReplitFlow, redirectToReplit } from './replit.ts';

const GOOGLE_TIMEOUT_MS = 15_000;
const FLOW_SECONDS = 600;

/** Sign-in by redirect to a provider and its callback. */
export interface RedirectSignIn {
  start: (req: Request, res: Response) => Promise<void>;
  finish: (req: Request, res: Response) => Promise<Identified>;
}

/** Sign-in with Google: by the widget in the page (null when it is not configured) and by redirect. */
export function setUpGoogle(accounts: AccountsFeature): {
  widget: GoogleWidget | null;
  redirect: RedirectSignIn;
} {
  const {
    GOOGLE_CLIENT_ID: clientId,
    GOOGLE_CLIENT_SECRET: clientSecret,
    GOOGLE_ISSUER: issuer,
  } = accounts.config;
  const unavailable = notSetUp('google_unavailable');
  if (clientId === undefined) return { widget: null, redirect: unavailable };
  const provider = createProvider({ issuer, clientId, clientSecret });
  const nonces = { kind: 'google_nonce', schema: NonceFlow, seconds: FLOW_SECONDS };
  const flow = createFlow(nonces, accounts);
  const widget = { provider, keys: createKeys(provider), flow, clientId };
  if (clientSecret === undefined) return { widget, redirect: unavailable };
  const states = { kind: 'google', schema: GoogleFlow, seconds: FLOW_SECONDS };
  const passport = createGooglePassport({
    provider,
    flow: createFlow(states, accounts),
    clientId,
    clientSecret,
    redirectUri: `${publicUrl(accounts.config)}/api/auth/google/callback`,
  });
  const google = { passport, timeoutMs: GOOGLE_TIMEOUT_MS };
  return {
    widget,
    redirect: {
      start: (req, res) => redirectToGoogle(google, req, res),
      finish: (req, res) => finishGoogle(google, req, res),
    },
  };
}

/** Sign-in with Replit. */
export function setUpReplit(accounts: AccountsFeature): RedirectSignIn {
  const {
    REPLIT_CLIENT_ID: clientId,
    REPLIT_CLIENT_SECRET: clientSecret,
    REPLIT_ISSUER: issuer,
  } = accounts.config;
  if (clientId === undefined) return notSetUp('replit_unavailable');
  const states = { kind: 'replit', schema: ReplitFlow, seconds: FLOW_SECONDS };
  const replit = {
    provider: createProvider({ issuer, clientId, clientSecret }),
    flow: createFlow(states, accounts),
    redirectUri: `${publicUrl(accounts.config)}/api/login/callback`,
  };
  return {
    start: (req, res) => redirectToReplit(replit, req, res),
    finish: (req) => finishReplit(replit, req),
  };
}

function notSetUp(reason: SignInError): RedirectSignIn {
  const fail = async () => {
    throw new SignInFailedError(reason);
  };
  return { start: fail, finish: fail };
}
