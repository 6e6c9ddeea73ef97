import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import helmet from 'helmet';
import { isBehindTls } from './cookie.ts';

/** Browsers may not agree that 'self' covers the socket's scheme, so its address is named. */
function socketAddresses(req: IncomingMessage): string {
  const { host } = req.headers;
  // The header is the caller's: only what can be a host and nothing else goes into the policy.
  if (!host || !/^[\w.-]+(:\d+)?$|^\[[0-9a-f:]+\](:\d+)?$/i.test(host)) return "'self'";
  return `ws://${host} wss://${host}`;
}

// Where Google's sign-in widget lives (Google, 'Get your Google API client ID: content security policy').
const WIDGET = 'https://accounts.google.com/gsi';

interface HeaderSettings {
  PUBLIC_URL?: string | undefined;
  /** With it the policy admits Google's sign-in widget. */
  GOOGLE_CLIENT_ID?: string | undefined;
}

const nonces = new WeakMap<ServerResponse, string>();

/** The value by which the policy of this response recognises the page's own `<style>` elements. */
export function styleNonceOf(res: ServerResponse): string {
  const nonce = nonces.get(res) ?? randomBytes(16).toString('base64');
  nonces.set(res, nonce);
  return nonce;
}

/** Strict headers on every answer; the policy lets a page run our own scripts and styles only and talk to us only. */
export function securityHeaders({ PUBLIC_URL, GOOGLE_CLIENT_ID }: HeaderSettings): RequestHandler {
  const widget = GOOGLE_CLIENT_ID !== undefined;
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        scriptSrc: ["'self'", ...(widget ? [`${WIDGET}/client`] : [])],
        scriptSrcAttr: ["'none'"],
        styleSrcElem: [
          "'self'",
          (_req, res) => `'nonce-${styleNonceOf(res)}'`,
          ...(widget ? [`${WIDGET}/style`] : []),
        ],
        styleSrcAttr: [widget ? "'unsafe-inline'" : "'none'"],
        frameSrc: widget ? [`${WIDGET}/`] : ["'none'"],
        imgSrc: ["'self'", 'data:', 'blob:'],
        connectSrc: ["'self'", socketAddresses, ...(widget ? [`${WIDGET}/`] : [])],
        objectSrc: ["'none'"],
        baseUri: ["'none'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
      },
    },
    // The widget's own window tells this page who signed in.
    crossOriginOpenerPolicy: { policy: widget ? 'same-origin-allow-popups' : 'same-origin' },
    xFrameOptions: { action: 'deny' },
    strictTransportSecurity: isBehindTls({ PUBLIC_URL }),
  });
}
