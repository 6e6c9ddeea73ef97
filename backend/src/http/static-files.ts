import { readFile } from 'node:fs/promises';
import path from 'node:path';
import express, { type RequestHandler, Router } from 'express';
import { styleNonceOf } from './security-headers.ts';

/** The placeholder of the nonce in the built page. */
const NONCE_PLACEHOLDER = '%STYLE_NONCE%';

/**
 * Serves the built frontend. Files whose name carries a hash never change; the page itself is fetched anew each time,
 * so that a new version is seen at once. Every path without a file extension leads to the page.
 */
export function staticFiles(dir: string): Router {
  const files = express.static(dir, {
    index: false,
    redirect: false,
    setHeaders: (res, file) => {
      const hashed = path.relative(dir, file).startsWith(`assets${path.sep}`);
      res.setHeader('Cache-Control', hashed ? 'public, max-age=31536000, immutable' : 'no-cache');
    },
  });
  const page: RequestHandler = async (req, res, next) => {
    const wantsPage = ['GET', 'HEAD'].includes(req.method) && req.accepts(['html']) === 'html';
    if (!wantsPage || path.extname(req.path) !== '') return next();
    const html = await readFile(path.join(dir, 'index.html'), 'utf8').catch(() => undefined);
    if (html === undefined) return next();
    res.set('Cache-Control', 'no-cache').type('html');
    res.send(html.replaceAll(NONCE_PLACEHOLDER, styleNonceOf(res)));
  };
  return Router().use(files, page);
}
