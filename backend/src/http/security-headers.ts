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

/** Strict headers on every answer; the policy lets a page run our own scripts only and talk to us only. */
export function securityHeaders({
  PUBLIC_URL,
}: {
  PUBLIC_URL?: string | undefined;
}): RequestHandler {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        scriptSrc: ["'self'"],
        scriptSrcAttr: ["'none'"],
        styleSrc: ["'self'", "'unsafe-inline'"],
        imgSrc: ["'self'", 'data:', 'blob:'],
        connectSrc: ["'self'", socketAddresses],
        objectSrc: ["'none'"],
        baseUri: ["'self'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
      },
    },
    xFrameOptions: { action: 'deny' },
    strictTransportSecurity: PUBLIC_URL?.startsWith('https:') ?? false,
  });
}
