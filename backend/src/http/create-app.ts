import compression from 'compression';
import express, { type Express, type RequestHandler, Router } from 'express';
import type { Config } from '../config.ts';
import { BUILD_HEADER } from '../contract/build.ts';
import { CHANNEL_NUMBER_HEADER } from '../contract/realtime.ts';
import { AppError } from '../errors.ts';
import type { Log } from '../log.ts';
import { errorHandler } from './error-handler.ts';
import { type Authenticate, actorOf, identify } from './identify.ts';
import { requestLog } from './request-log.ts';
import { boundRequestTime } from './request-time.ts';
import { sameOrigin } from './same-origin.ts';
import { securityHeaders } from './security-headers.ts';
import { staticFiles } from './static-files.ts';

const BODY_LIMIT = '256kb';

export interface AppOptions {
  config: Pick<Config, 'PUBLIC_URL' | 'TRUST_PROXY' | 'GOOGLE_CLIENT_ID'>;
  log: Log;
  authenticate: Authenticate;
  /** Mounted at /api before the general limit, so that supervisors always reach it. */
  health?: Router;
  /** Counts every other call of the API. */
  generalLimit?: RequestHandler;
  /** The number of the user's channel, which answers to GET then name. */
  channelNumberOf?: (userId: string) => Promise<number>;
  /** Mounted at /api, in this order. */
  routers: Router[];
  /** Mounted at /api before the JSON parser: they read their bodies themselves. */
  rawRouters?: Router[];
  /** Pages outside the frontend, mounted at the root; calls of them from other sites are refused. */
  pages?: Router[];
  /** Origin of the object store, to which pages may send files and from which they load them. */
  objectOrigin?: string;
  /** The built frontend; without it only the API is served. */
  staticDir?: string;
  /** The build of that frontend, which every answer of the API names. */
  build?: string | undefined;
  /** Has the hashed files of other builds. */
  assetsDir?: string | undefined;
  /** Values of the placeholders in its page. */
  pageValues?: Readonly<Record<string, string>>;
}

/** The HTTP side of a web process, for `http.createServer`. */
export function createApp(options: AppOptions): Express {
  const {
    config,
    log,
    staticDir,
    assetsDir,
    pageValues,
    objectOrigin,
    pages = [],
    ...api
  } = options;
  const app = express();
  app.disable('x-powered-by');
  app.set('trust proxy', config.TRUST_PROXY);
  app.use(
    boundRequestTime(),
    requestLog(log),
    securityHeaders({ ...config, objectOrigin }),
    compression(),
  );
  app.use('/api', apiRouter({ config, ...api }));
  const guards = [sameOrigin(config), identify(api.authenticate, config)];
  for (const router of pages) app.use(...guards, router);
  if (staticDir !== undefined) app.use(staticFiles({ dir: staticDir, assetsDir, pageValues }));
  app.use(unknownAddress);
  app.use(errorHandler(log));
  return app;
}

function apiRouter({
  config,
  authenticate,
  health,
  generalLimit,
  channelNumberOf,
  routers,
  rawRouters = [],
  build,
}: Omit<
  AppOptions,
  'log' | 'staticDir' | 'assetsDir' | 'pageValues' | 'objectOrigin' | 'pages'
>): Router {
  const api = Router();
  // A tab of an older build then offers to reload.
  if (build !== undefined) api.use(setHeader(BUILD_HEADER, build));
  api.use(
    setHeader('Cache-Control', 'no-store'),
    sameOrigin(config),
    identify(authenticate, config),
  );
  if (health) api.use(health);
  if (generalLimit) api.use(generalLimit);
  if (channelNumberOf) api.get('/{*path}', nameNumber(channelNumberOf));
  for (const router of rawRouters) api.use(router);
  api.use(express.json({ limit: BODY_LIMIT, inflate: false }), onlyJson);
  for (const router of routers) api.use(router);
  return api.use(unknownAddress);
}

/** Sets a header of each answer. */
export const setHeader =
  (name: string, value: string): RequestHandler =>
  (_req, res, next) => {
    res.set(name, value);
    next();
  };

/** Read before the route reads anything: the answer has all events up to this number. */
const nameNumber =
  (channelNumberOf: (userId: string) => Promise<number>): RequestHandler =>
  async (req, res, next) => {
    // The route handles a failed lookup of the session. Without Redis the answer names no number.
    const actor = await actorOf(req).catch(() => null);
    const number = actor && (await channelNumberOf(actor.userId).catch(() => null));
    if (number) res.set(CHANNEL_NUMBER_HEADER, String(number));
    next();
  };

/** A body that the JSON parser did not parse has another type; no route reads those. */
const onlyJson: RequestHandler = (req, _res, next) => {
  const hasBody =
    req.headers['transfer-encoding'] !== undefined ||
    Number(req.headers['content-length'] ?? 0) > 0;
  if (!hasBody || req.is('json')) return next();
  next(new AppError('malformed', 'Send the body as JSON, with Content-Type: application/json.'));
};

const unknownAddress: RequestHandler = (_req, _res, next) => {
  next(new AppError('not_found', 'There is nothing at this address.'));
};
