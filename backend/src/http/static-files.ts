import path from 'node:path';
import express, { type RequestHandler, Router } from 'express';

/**
 * Serves the built frontend. Files whose name carries a hash never change; the page itself is asked for again each
 * time, so that a new version is seen at once. Every address a person may open leads to the page.
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
  const page: RequestHandler = (req, res, next) => {
    const wantsPage = ['GET', 'HEAD'].includes(req.method) && req.accepts(['html']) === 'html';
    if (!wantsPage || path.extname(req.path) !== '') return next();
    res.sendFile('index.html', { root: dir, headers: { 'Cache-Control': 'no-cache' } });
  };
  return Router().use(files, page);
}
