import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseConfig } from '../config.ts';
import {
  buildOf,
  byAddress,
  createApp,
  createGeneralLimit,
  createOriginCheck,
  createRateLimit,
  createTurn,
  FORM_MS,
  healthRoutes,
  shareAssets,
} from '../http/index.ts';
import { createLog, type Log } from '../log.ts';
import { testPages } from '../payments/index.ts';
import { userChannel } from '../realtime/bus.ts';
import { SocketCounts } from '../realtime/socket-counts.ts';
import { createSocketServer } from '../realtime/socket-server.ts';
import { announceReady, onStop, orExplain } from './child.ts';
import { type Composed, compose } from './parts/compose.ts';
import { pageValuesOf } from './parts/page-values.ts';

/** Tabs of one user. */
const SOCKETS_PER_USER = 50;

/** A reconnect of all tabs of a user needs one or two for each. */
const WATCHES_PER_MINUTE = 300;

/** Node closes a connection whose headers take longer; it must not do so while an idle one is kept. */
const HEADERS_AFTER_KEEP_ALIVE_MS = 5_000;

/** Connections that the system holds until they are accepted: after a cut, all tabs connect at once. The system may set a lower limit. */
const LISTEN_BACKLOG = 4_096;

/** Builds are in <project>/backend/dist, the frontend in <project>/frontend/dist. */
const PROJECT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const FRONTEND = path.join(PROJECT, 'frontend/dist');

async function start(): Promise<void> {
  const config = parseConfig(process.env);
  const log = createLog({ level: config.LOG_LEVEL, name: 'web' });
  const deps = await compose({ config, log, databaseUse: 'requests' });
  const build = await buildOf(FRONTEND);
  // Before the first page: another process may be asked for its files.
  await keepAssets({ build, folder: config.ASSETS_DIR, log });
  // The app limits every request; this is the maximum of those limits.
  const keepAliveTimeout = config.KEEP_ALIVE_SECONDS * 1_000;
  const headersTimeout = keepAliveTimeout + HEADERS_AFTER_KEEP_ALIVE_MS;
  const state = { isStopping: false };
  const http = createServer(
    { requestTimeout: FORM_MS, keepAliveTimeout, headersTimeout },
    app(deps, { state, build }),
  );
  if (keepAliveTimeout === 0) http.maxRequestsPerSocket = 1;
  const counts = config.RATE_LIMITS ? new SocketCounts(deps.redis) : undefined;
  const sockets = socketServer(deps, http, { counts, build });
  http.listen({ port: config.PORT, host: config.HOST, backlog: LISTEN_BACKLOG });
  await once(http, 'listening');

  const [unreadyMs, socketsMs, drainMs] = [
    config.UNREADY_SECONDS * 1_000,
    config.SOCKET_DRAIN_SECONDS * 1_000,
    config.DRAIN_SECONDS * 1_000,
  ];
  const stop = async () => {
    state.isStopping = true;
    // Proxies send requests here until their next check.
    await sleep(unreadyMs);
    // Accepts no new connections; the tabs reconnect to another process; running requests still get their answer.
    const drained = Promise.race([close(http), sleep(drainMs, undefined, { ref: false })]);
    await sockets.close({ overMs: socketsMs });
    await drained;
    counts?.close();
    await deps.disconnect();
  };
  onStop(stop, { withinMs: unreadyMs + Math.max(socketsMs, drainMs) });
  announceReady({ port: (http.address() as AddressInfo).port });
}

/** Without the files of other builds the process serves its own: open tabs of those may miss some. */
async function keepAssets({
  build,
  folder,
  log,
}: Record<'build' | 'folder', string | undefined> & { log: Log }) {
  if (build === undefined || folder === undefined) return;
  await shareAssets({ dir: FRONTEND, build, folder }).catch((error: unknown) =>
    log.error({ err: error }, 'the files of this build could not be put into ASSETS_DIR'),
  );
}

function socketServer(
  composed: Composed,
  http: Server,
  { counts, build }: { counts: SocketCounts | undefined; build: string | undefined },
) {
  const { config, log, securityLog, redis, channels, services } = composed;
  return createSocketServer({
    http,
    config,
    channels,
    authenticate: services.accounts.authenticate,
    findEndedSessions: services.accounts.findEndedSessions,
    openConversation: services.chat.openConversation,
    nameOf: async (userId) => (await services.workspaces.names({ userIds: [userId] }))(userId),
    redis,
    findUnreadable: services.chat.findUnreadable,
    isOwnOrigin: createOriginCheck(config),
    limits: config.RATE_LIMITS
      ? {
          perUser: SOCKETS_PER_USER,
          perAddress: config.SOCKETS_PER_ADDRESS,
          watchesPerMinute: WATCHES_PER_MINUTE,
        }
      : { perUser: Infinity, perAddress: Infinity, watchesPerMinute: Infinity },
    counts,
    build,
    securityLog,
    log,
  });
}

interface Serving {
  state: { isStopping: boolean };
  build: string | undefined;
}

function app(composed: Composed, { state, build }: Serving) {
  const {
    config,
    log,
    securityLog,
    redis,
    channels,
    connection,
    services,
    built,
    objects,
    retention,
  } = composed;
  const limits = { redis, enabled: config.RATE_LIMITS, securityLog };
  const rateLimit = createRateLimit(limits);
  const turn = createTurn();
  const tools = { rateLimit, turn, retention };
  // Without a worker, pages, history and search still work, and messages are accepted.
  const isReady = async () => {
    if (state.isStopping) return false;
    await Promise.all([connection.db?.command({ ping: 1 }), redis.ping()]);
    return true;
  };
  return createApp({
    config,
    log,
    authenticate: (token) => turn(() => services.accounts.authenticate(token)),
    health: healthRoutes(
      isReady,
      rateLimit({ name: 'ready', points: 1_200, seconds: 60, key: byAddress }),
    ),
    generalLimit: createGeneralLimit(limits),
    channelNumberOf: (userId) => channels.readNumber(userChannel(userId)),
    routers: built.flatMap((feature) => feature.routes(tools)),
    rawRouters: built.flatMap((feature) => feature.rawRoutes(tools)),
    pages: [
      ...built.flatMap((feature) => feature.pages(tools)),
      ...testPages({ config, rateLimit }),
    ],
    objectOrigin: objects.publicOrigin,
    staticDir: FRONTEND,
    build,
    assetsDir: config.ASSETS_DIR,
    pageValues: pageValuesOf(config),
  });
}

const close = (http: Server) =>
  new Promise<void>((resolve) => {
    http.close(() => resolve());
    http.closeIdleConnections();
    // For connections with a running request.
    http.keepAliveTimeout = 1;
  });

await orExplain(start());
