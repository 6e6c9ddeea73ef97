import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler, Response } from 'express';
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

/** Where Stripe's payment form lives (Stripe, 'Integration security guide: content security policy'). */
const FORM = {
  scripts: ['https://js.stripe.com', 'https://*.js.stripe.com'],
  // The second host asks for the confirmation of the card's bank.
  frames: ['https://js.stripe.com', 'https://*.js.stripe.com', 'https://hooks.stripe.com'],
  calls: ['https://api.stripe.com'],
};

interface HeaderSettings {
  PUBLIC_URL?: string | undefined;
  /** With it the policy admits Google's sign-in widget. */
  GOOGLE_CLIENT_ID?: string | undefined;
  /** With `embedded` the policy admits Stripe's payment form. */
  STRIPE_UI?: 'hosted' | 'embedded';
  /** With it pages may call the object store, and show its pictures. */
  objectOrigin?: string | undefined;
}

const nonces = new WeakMap<ServerResponse, string>();

/** The value by which the policy of this response recognises the page's own `<style>` elements. */
export function styleNonceOf(res: ServerResponse): string {
  const nonce = nonces.get(res) ?? randomBytes(16).toString('base64');
  nonces.set(res, nonce);
  return nonce;
}

/** Strict headers on every answer; the policy lets a page run our own scripts and styles only and talk to us only. */
export function securityHeaders({
  PUBLIC_URL,
  GOOGLE_CLIENT_ID,
  STRIPE_UI,
  objectOrigin,
}: HeaderSettings): RequestHandler {
  const widget = GOOGLE_CLIENT_ID !== undefined;
  const form = STRIPE_UI === 'embedded' ? FORM : { scripts: [], frames: [], calls: [] };
  const objects = objectOrigin === undefined ? [] : [objectOrigin];
  const frames = [...(widget ? [`${WIDGET}/`] : []), ...form.frames];
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        scriptSrc: ["'self'", ...(widget ? [`${WIDGET}/client`] : []), ...form.scripts],
        scriptSrcAttr: ["'none'"],
        styleSrcElem: [
          "'self'",
          (_req, res) => `'nonce-${styleNonceOf(res)}'`,
          ...(widget ? [`${WIDGET}/style`] : []),
        ],
        styleSrcAttr: [widget ? "'unsafe-inline'" : "'none'"],
        frameSrc: frames.length ? frames : ["'none'"],
        // Paths of files redirect to the store.
        imgSrc: ["'self'", 'data:', 'blob:', ...objects],
        connectSrc: [
          "'self'",
          socketAddresses,
          ...objects,
          ...(widget ? [`${WIDGET}/`] : []),
          ...form.calls,
        ],
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

/** Headers that only say how a page may be opened and what it may do. */
const OF_PAGES = [
  'Cross-Origin-Opener-Policy',
  'Origin-Agent-Cluster',
  'Referrer-Policy',
  'X-DNS-Prefetch-Control',
  'X-Download-Options',
  'X-Frame-Options',
  'X-Permitted-Cross-Domain-Policies',
  'X-XSS-Protection',
];

/**
 * Headers of a file of the build. A page's policy is a kilobyte that would come with each of its files; what is left of it binds
 * workers, and files that are opened as a page.
 */
export function setAssetHeaders(res: Response): void {
  for (const name of OF_PAGES) res.removeHeader(name);
  res.set('Content-Security-Policy', "default-src 'self'; frame-ancestors 'none'");
}
