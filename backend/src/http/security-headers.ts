import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import helmet from 'helmet';

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
  /** With it the policy lets Google's sign-in widget in. */
  GOOGLE_CLIENT_ID?: string | undefined;
}

/** Strict headers on every answer; the policy lets a page run our own scripts only and talk to us only. */
export function securityHeaders({ PUBLIC_URL, GOOGLE_CLIENT_ID }: HeaderSettings): RequestHandler {
  const widget = GOOGLE_CLIENT_ID !== undefined;
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        scriptSrc: ["'self'", ...(widget ? [`${WIDGET}/client`] : [])],
        scriptSrcAttr: ["'none'"],
        styleSrc: ["'self'", "'unsafe-inline'", ...(widget ? [`${WIDGET}/style`] : [])],
        frameSrc: widget ? [`${WIDGET}/`] : ["'none'"],
        imgSrc: ["'self'", 'data:', 'blob:'],
        connectSrc: ["'self'", socketAddresses, ...(widget ? [`${WIDGET}/`] : [])],
        objectSrc: ["'none'"],
        baseUri: ["'self'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
      },
    },
    // The widget's own window tells this page who signed in.
    crossOriginOpenerPolicy: { policy: widget ? 'same-origin-allow-popups' : 'same-origin' },
    xFrameOptions: { action: 'deny' },
    strictTransportSecurity: PUBLIC_URL?.startsWith('https:') ?? false,
  });
}
