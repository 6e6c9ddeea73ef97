import { randomBytes } from 'node:crypto';
import type { Response } from 'express';
import { STYLE } from './style.ts';

/** Markup that is safe to send. */
export interface Html {
  markup: string;
}

type Value = Html | string | number | null | readonly Html[];

const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function markupOf(value: Value): string {
  if (value === null) return '';
  if (typeof value === 'string' || typeof value === 'number')
    return String(value).replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
  if ('markup' in value) return value.markup;
  return value.map(({ markup }) => markup).join('');
}

/** Joins markup and values; every text among the values is escaped. */
export const html = (parts: TemplateStringsArray, ...values: Value[]): Html => ({
  markup: parts.reduce((sum, part, n) => sum + markupOf(values[n - 1] ?? null) + part),
});

const money = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });
const day = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' });

export const dollars = (cents: number): string => money.format(cents / 100);
export const date = (at: Date): string => day.format(at);

/** A button that posts to `action`. */
export const button = (
  action: string,
  label: string,
  kind: 'primary' | 'secondary' | 'danger' = 'secondary',
): Html => html`<form method="post" action="${action}">
  <button type="submit" class="${kind}">${label}</button>
</form>`;

/** A list of names and values. */
export const facts = (entries: readonly (readonly [name: string, value: string])[]): Html =>
  html`<dl>${entries.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;

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

/** Sends a page, which works without scripts. The product forwards it with these headers. */
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
