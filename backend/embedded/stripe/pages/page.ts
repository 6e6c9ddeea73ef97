import { randomBytes } from 'node:crypto';
import type { Response } from 'express';
import { type Html, html } from './html.ts';
import { STYLE } from './style.ts';

const EYE = html`<svg aria-hidden="true" viewBox="0 0 32 32" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linejoin="round">
  <path d="M1.500 16C6 9 10.700 6.200 16 6.200S26 9 30.500 16C26 23 21.300 25.800 16 25.800S6 23 1.500 16Z" />
  <circle cx="16" cy="16" r="6.200" />
  <path stroke="none" fill="currentColor" d="M16 11.200c.35 3.250 1.550 4.450 4.800 4.800-3.250.35-4.450 1.550-4.800 4.800-.35-3.250-1.550-4.450-4.800-4.800 3.250-.35 4.450-1.550 4.800-4.800Z" />
</svg>`;

interface PageOptions {
  title: string;
  body: Html;
  /** For tables. */
  wide?: boolean;
  status?: number;
}

/** Sends a page, which works without scripts. The product passes it on with these headers. */
export function sendPage(
  res: Response,
  { title, body, wide = false, status = 200 }: PageOptions,
): void {
  const style: Html = { markup: STYLE };
  const nonce = randomBytes(16).toString('base64');
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} - STOLAS</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<style nonce="${nonce}">${style}</style>
</head>
<body class="${wide ? 'wide' : ''}">
<header>${EYE}<strong>STOLAS</strong></header>
<div class="notice"><strong>Test payment:</strong> no money moves.</div>
${body}
</body>
</html>`;
  // With 'no-referrer', browsers send the forms without their origin, which could then not be checked.
  res.set({
    'Referrer-Policy': 'same-origin',
    'Cache-Control': 'no-store',
    'Content-Security-Policy': `default-src 'none'; style-src-elem 'nonce-${nonce}'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
  });
  res.status(status).type('html').send(page.markup);
}

export const sendNotFound = (res: Response): void =>
  sendPage(res, {
    title: 'Not found',
    status: 404,
    body: html`<main><h1>There is nothing at this address</h1>
<p class="muted">The link may be old. Go back to STOLAS and begin again.</p>
<p><a href="/">Return to STOLAS</a></p></main>`,
  });
