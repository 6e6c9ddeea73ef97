import { readFile } from 'node:fs/promises';
import path from 'node:path';
import express, { type RequestHandler, type Response, Router } from 'express';
import { SCREEN_PATHS } from '../contract/landing.ts';
import { setAssetHeaders, setFrameHeaders, styleNonceOf } from './security-headers.ts';
import { ASSETS, sharedBuilds } from './shared-assets.ts';

/** The name of the nonce's placeholder in the built page. */
const NONCE = 'STYLE_NONCE';

/** The name of the placeholder for what search engines may do with the page. */
const ROBOTS = 'ROBOTS';

/** Pages of public links: whoever has the address sees what was shared, so no search engine, cache or other site may get it. */
const LINKS = '/s/';
const LINK_HEADERS = {
  'X-Robots-Tag': 'noindex',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
};

/** The build's compressed variants of a file, in order of preference. */
const VARIANTS = [
  { encoding: 'br', suffix: '.br' },
  { encoding: 'gzip', suffix: '.gz' },
];

type ServeStaticOptions = NonNullable<Parameters<typeof express.static>[1]>;

/** Files with a hash in their name are cached for ever. */
const UNCHANGING = { etag: false, lastModified: false, acceptRanges: false };

interface StaticFiles {
  /** The build that this process serves. */
  dir: string;
  /** Has the hashed files of other builds, see `shareAssets`. */
  assetsDir?: string | undefined;
  /** Text for the placeholders of the page: `%NAME%` becomes the value of `NAME`. */
  pageValues?: Readonly<Record<string, string>> | undefined;
}

/**
 * Serves the built frontend. Files with a hash in their name are cached for ever; the page itself is fetched each time, so that a new
 * version appears at once. Every path without a file extension answers the page, with 404 for an unknown screen. Tabs of former builds,
 * and pages of later ones that another process has sent, get their hashed files too.
 */
export function staticFiles({ dir, assetsDir, pageValues = {} }: StaticFiles): Router {
  const [own, others] = [serve(dir, UNCHANGING), serve(dir, {})];
  const hashed = assetsDir === undefined ? [own] : [own, filesOfOtherBuilds(assetsDir)];
  const assets = Router().use(hashed);
  const files: RequestHandler = (req, res, next) =>
    (req.path.startsWith(`/${ASSETS}/`) ? assets : others)(req, res, next);
  const page =
    (status: number): RequestHandler =>
    async (req, res, next) => {
      const wantsPage = ['GET', 'HEAD'].includes(req.method) && req.accepts(['html']) === 'html';
      if (!wantsPage || path.extname(req.path) !== '') return next();
      const html = await readFile(path.join(dir, 'index.html'), 'utf8').catch(() => undefined);
      if (html === undefined) return next();
      res.status(status).set('Cache-Control', 'no-cache').type('html');
      const isLink = req.path.startsWith(LINKS);
      if (isLink) res.set(LINK_HEADERS);
      const robots = isLink ? 'noindex' : 'all';
      res.send(fill(html, { ...pageValues, [NONCE]: styleNonceOf(res), [ROBOTS]: robots }));
    };
  const compressed = VARIANTS.map((variant) => compressedFiles(files, variant));
  return Router()
    .use(compressed, files)
    .get([...SCREEN_PATHS], page(200))
    .use(page(404));
}

const serve = (dir: string, options: ServeStaticOptions) =>
  express.static(dir, {
    index: false,
    redirect: false,
    setHeaders: (res, file) => setFileHeaders(res, path.relative(dir, file)),
    ...options,
  });

/** Serves the hashed files in `folder`, in which builds appear and disappear. */
function filesOfOtherBuilds(folder: string): RequestHandler {
  const served = new Map<string, RequestHandler>();
  return async (req, res, next) => {
    const builds = await sharedBuilds(folder);
    for (const name of served.keys()) if (!builds.includes(name)) served.delete(name);
    const handlers = builds.map((build) => {
      const handler = served.get(build) ?? serve(path.join(folder, build), UNCHANGING);
      served.set(build, handler);
      return handler;
    });
    Router().use(handlers)(req, res, next);
  };
}

/** Fills the placeholders of a page; every value is in an attribute. */
function fill(html: string, values: Readonly<Record<string, string>>): string {
  return html.replaceAll(/%([A-Z_]+)%/g, (placeholder, name: string) =>
    (values[name] ?? placeholder).replaceAll(/["&<>]/g, (char) => `&#${char.charCodeAt(0)};`),
  );
}

/** Answers with a compressed variant of the file, if the build wrote it and the client accepts it. */
function compressedFiles(
  files: RequestHandler,
  { encoding, suffix }: (typeof VARIANTS)[number],
): RequestHandler {
  return (req, res, next) => {
    const { url } = req;
    if (path.extname(req.path) === '' || !req.acceptsEncodings(encoding)) return next();
    req.url = `${req.path}${suffix}`;
    files(req, res, (error) => {
      req.url = url;
      next(error);
    });
  };
}

function setFileHeaders(res: Response, file: string): void {
  const hashed = file.startsWith(`assets${path.sep}`);
  res.set('Cache-Control', hashed ? 'public, max-age=31536000, immutable' : 'no-cache');
  res.vary('Accept-Encoding');
  setAssetHeaders(res);
  setFrameHeaders(res, file.replaceAll(path.sep, '/'));
  // Sandboxed frames have no origin, but load the code of diagrams.
  if (hashed) res.set('Access-Control-Allow-Origin', '*');
  const variant = VARIANTS.find(({ suffix }) => file.endsWith(suffix));
  if (variant) {
    res.set('Content-Encoding', variant.encoding);
    res.type(path.extname(file.slice(0, -variant.suffix.length)));
  }
}
