import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler, Response } from 'express';
import helmet from 'helmet';
import { isBehindTls } from './cookie.ts';

/** The header comes from the caller: only a valid host may enter the policy. */
function hostOf({ headers: { host } }: IncomingMessage): string | undefined {
  return host && /^[\w.-]+(:\d+)?$|^\[[0-9a-f:]+\](:\d+)?$/i.test(host) ? host : undefined;
}

/** Browsers differ on whether 'self' includes the socket's scheme, so its URL is named. */
function socketAddresses(req: IncomingMessage): string {
  const host = hostOf(req);
  return host ? `ws://${host} wss://${host}` : "'self'";
}

/** The folder of the pages in `FRAMES`: scripts in such a frame cannot navigate it elsewhere. */
function sandboxedFrames(req: IncomingMessage): string {
  const host = hostOf(req);
  return host ? `${host}/frames/` : "'self'";
}

// The host of Google's sign-in widget (Google, 'Get your Google API client ID: content security policy').
const WIDGET = 'https://accounts.google.com/gsi';

/** The hosts of Stripe's payment form (Stripe, 'Integration security guide: content security policy'). */
const FORM = {
  scripts: ['https://js.stripe.com', 'https://*.js.stripe.com'],
  // The second host shows the confirmation by the card's bank.
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

/** The nonce by which the policy of this response permits the page's own `<style>` elements. */
export function styleNonceOf(res: ServerResponse): string {
  const nonce = nonces.get(res) ?? randomBytes(16).toString('base64');
  nonces.set(res, nonce);
  return nonce;
}

/** Strict headers on every answer; the policy permits only our own scripts, styles and connections. */
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
        frameSrc: [sandboxedFrames, ...frames],
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
    // The widget's window reports the signed-in user to this page.
    crossOriginOpenerPolicy: { policy: widget ? 'same-origin-allow-popups' : 'same-origin' },
    xFrameOptions: { action: 'deny' },
    strictTransportSecurity: isBehindTls({ PUBLIC_URL }),
  });
}

/** Headers that only apply to pages, and the id by which users report a failed call. */
const OF_PAGES = [
  'Cross-Origin-Opener-Policy',
  'Origin-Agent-Cluster',
  'Referrer-Policy',
  'X-DNS-Prefetch-Control',
  'X-Download-Options',
  'X-Frame-Options',
  'X-Permitted-Cross-Domain-Policies',
  'X-Request-Id',
  'X-XSS-Protection',
];

/**
 * Headers of a file of the build. The policy of a page has a kilobyte, too much for each of its files; the short one here binds workers,
 * and files that are opened as a page.
 */
export function setAssetHeaders(res: Response): void {
  for (const name of OF_PAGES) res.removeHeader(name);
  res.set('Content-Security-Policy', "default-src 'self'; frame-ancestors 'none'");
}

const SANDBOX = "sandbox allow-scripts; default-src 'none'; frame-ancestors 'self'";

/** The hash of the only script in artifact.html. */
const ARTIFACT_SCRIPT = "'sha256-iepDOyYJjztd52dZK7cSeOn053A3Ir9NisF32ov+1n8='";

/**
 * Policies of the pages under /frames, which show a model's output. Each has its own origin and loads only the code that draws diagrams
 * (docs/decisions/0029-sandboxed-frames.md). A script in an artifact must pass two policies: the first permits only the page's own script
 * and what it starts, so nothing in an inner frame; the second permits no host.
 */
const FRAMES: Readonly<Record<string, string>> = {
  'frames/artifact.html': `${SANDBOX}; script-src ${ARTIFACT_SCRIPT} 'strict-dynamic' 'unsafe-eval'; worker-src 'none'; style-src 'unsafe-inline'; img-src data: blob:; font-src data:; media-src data: blob:; base-uri 'none'; form-action 'none', script-src 'unsafe-inline' 'unsafe-eval' blob:`,
  'frames/diagram.html': `${SANDBOX}; script-src 'self'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'`,
};

/** Headers of files in a sandboxed frame; none for other files. */
export function setFrameHeaders(res: Response, file: string): void {
  if (!file.startsWith('frames/')) return;
  // The frame has an opaque origin, so this file is always cross-origin.
  res.set('Cross-Origin-Resource-Policy', 'cross-origin');
  const policy = FRAMES[file];
  if (!policy) return;
  res.set('Content-Security-Policy', policy);
  // DNS lookups would carry text out.
  res.set('X-DNS-Prefetch-Control', 'off');
  res.set('Referrer-Policy', 'no-referrer');
}
