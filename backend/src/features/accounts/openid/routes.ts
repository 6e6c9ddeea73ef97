import { type Request, type RequestHandler, type Response, Router } from 'express';
import * as z from 'zod';
import { type Config, publicUrl } from '../../../config.ts';
import { GoogleBody, type GoogleStart, type SignInError } from '../../../contract/auth.ts';
import type { Redis } from '../../../db/redis.ts';
import { AppError } from '../../../errors.ts';
import { byAddress, openHandler, type RateLimit } from '../../../http/index.ts';
import type { Log } from '../../../log.ts';
import type { IssueSession } from '../issue-session.ts';
import type { Identified } from './authentication.ts';
import { reasonOf, SignInFailedError } from './failure.ts';
import { type FindAccountDeps, findAccount } from './find-account.ts';
import { createFlow } from './flow.ts';
import { createGoogleCredential, NonceFlow } from './google-credential.ts';
import { createGoogleRedirect, GoogleFlow } from './google-redirect.ts';
import { createProvider } from './provider.ts';
import { createReplitSignIn, ReplitFlow } from './replit.ts';

const GOOGLE_TIMEOUT_MS = 15_000;
const FLOW_SECONDS = 600;
/** From the provider's answer to the page that fetches the token. */
const PROOF_SECONDS = 60;

export interface OpenIdRoutesDeps extends FindAccountDeps {
  config: Pick<
    Config,
    | 'PUBLIC_URL'
    | 'PORT'
    | 'GOOGLE_CLIENT_ID'
    | 'GOOGLE_CLIENT_SECRET'
    | 'GOOGLE_ISSUER'
    | 'REPLIT_CLIENT_ID'
    | 'REPLIT_CLIENT_SECRET'
    | 'REPLIT_ISSUER'
  >;
  redis: Redis;
  rateLimit: RateLimit;
  log: Log;
  issueSession: IssueSession;
}

/** Sign-in with Google and Replit. */
export function openIdRoutes(deps: OpenIdRoutesDeps): Router {
  const limit = deps.rateLimit({
    name: 'provider-address',
    points: 120,
    seconds: 600,
    key: byAddress,
  });
  const redirects = createRedirects(deps);
  return Router().use(
    googleCredentialRoutes(deps, limit),
    redirectRoutes(
      { paths: ['/auth/google', '/auth/google/callback'], limit, redirects },
      google(deps),
    ),
    redirectRoutes({ paths: ['/login', '/login/callback'], limit, redirects }, replit(deps)),
    completionRoute(deps, { limit, proof: redirects.proof }),
  );
}

/** Sign-in by redirect to a provider and its callback. */
interface RedirectSignIn {
  start: (req: Request, res: Response) => Promise<void>;
  finish: (req: Request, res: Response) => Promise<Identified>;
}

const notSetUp = (reason: SignInError): RedirectSignIn => {
  const fail = async () => {
    throw new SignInFailedError(reason);
  };
  return { start: fail, finish: fail };
};

const googleProvider = ({ config }: OpenIdRoutesDeps, clientId: string) =>
  createProvider({
    issuer: config.GOOGLE_ISSUER,
    clientId,
    clientSecret: config.GOOGLE_CLIENT_SECRET,
  });

function google(deps: OpenIdRoutesDeps): RedirectSignIn {
  const { GOOGLE_CLIENT_ID: clientId, GOOGLE_CLIENT_SECRET: clientSecret } = deps.config;
  if (clientId === undefined || clientSecret === undefined) return notSetUp('google_unavailable');
  const flow = { kind: 'google', schema: GoogleFlow, seconds: FLOW_SECONDS };
  return createGoogleRedirect({
    provider: googleProvider(deps, clientId),
    flow: createFlow(flow, deps),
    clientId,
    clientSecret,
    redirectUri: `${publicUrl(deps.config)}/api/auth/google/callback`,
    timeoutMs: GOOGLE_TIMEOUT_MS,
  });
}

function replit(deps: OpenIdRoutesDeps): RedirectSignIn {
  const { REPLIT_CLIENT_ID: clientId, REPLIT_CLIENT_SECRET, REPLIT_ISSUER } = deps.config;
  if (clientId === undefined) return notSetUp('replit_unavailable');
  const flow = { kind: 'replit', schema: ReplitFlow, seconds: FLOW_SECONDS };
  return createReplitSignIn({
    provider: createProvider({
      issuer: REPLIT_ISSUER,
      clientId,
      clientSecret: REPLIT_CLIENT_SECRET,
    }),
    flow: createFlow(flow, deps),
    redirectUri: `${publicUrl(deps.config)}/api/login/callback`,
  });
}

/** After the callback the page fetches the token itself, so that none is part of a URL. */
function createRedirects(deps: OpenIdRoutesDeps) {
  const schema = z.object({
    userId: z.string(),
    credentialVersion: z.number(),
    method: z.enum(['google', 'replit']),
    authenticatedAt: z.coerce.date().nullable().default(null),
  });
  const proof = createFlow({ kind: 'proof', schema, seconds: PROOF_SECONDS }, deps);

  const orRedirect: (run: (req: Request, res: Response) => Promise<void>) => RequestHandler =
    (run) => async (req, res) => {
      await run(req, res).catch((error: unknown) => {
        const reason = reasonOf(error);
        deps.log.warn({ err: error, reason }, 'a sign-in by redirect failed');
        deps.securityLog.record({ event: 'sign_in_failed', ip: req.ip, reason });
        res.redirect(`/login?error=${reason}`);
      });
    };

  return {
    proof,
    start: (signIn: RedirectSignIn) => orRedirect(signIn.start),
    finish: (signIn: RedirectSignIn) =>
      orRedirect(async (req, res) => {
        const { identity, authenticatedAt } = await signIn.finish(req, res);
        const user = await findAccount(deps, { req, identity });
        const { id: userId, credentialVersion } = user;
        const { provider: method } = identity;
        await proof.begin(req, res, { userId, credentialVersion, method, authenticatedAt });
        res.redirect('/login?continue=true');
      }),
  };
}

type Redirects = ReturnType<typeof createRedirects>;

function redirectRoutes(
  {
    paths: [start, finish],
    limit,
    redirects,
  }: { paths: [string, string]; limit: RequestHandler; redirects: Redirects },
  signIn: RedirectSignIn,
): Router {
  const router = Router();
  router.get(start, limit, redirects.start(signIn));
  router.get(finish, limit, redirects.finish(signIn));
  return router;
}

function completionRoute(
  { issueSession }: OpenIdRoutesDeps,
  { limit, proof }: { limit: RequestHandler; proof: Redirects['proof'] },
): Router {
  return Router().post(
    '/auth/complete',
    limit,
    openHandler({}, async ({ req, res }) => {
      const verified = await proof.take(req, res);
      if (!verified)
        throw new AppError('unauthenticated', 'This took too long. Please sign in again.');
      const { userId: id, credentialVersion, method, authenticatedAt } = verified;
      const call = { req, res, method, authenticatedAt };
      return issueSession(call, { id, credentialVersion }, 'Signed in.');
    }),
  );
}

function googleCredentialRoutes(deps: OpenIdRoutesDeps, limit: RequestHandler): Router {
  const { config, issueSession, securityLog } = deps;
  const clientId = config.GOOGLE_CLIENT_ID;
  const router = Router();
  if (clientId === undefined) {
    const reject: RequestHandler = () => {
      throw new AppError(
        'not_found',
        'Google sign-in is not set up here. Please use another login method.',
      );
    };
    return router.post(['/auth/google', '/auth/google/start'], reject);
  }
  const flow = { kind: 'google_nonce', schema: NonceFlow, seconds: FLOW_SECONDS };
  const credentials = createGoogleCredential({
    provider: googleProvider(deps, clientId),
    flow: createFlow(flow, deps),
    clientId,
  });

  router.post(
    '/auth/google/start',
    limit,
    openHandler({}, async ({ req, res }): Promise<GoogleStart> => {
      const nonce = await credentials.start(req, res);
      return { clientId, nonce, redirect: config.GOOGLE_CLIENT_SECRET !== undefined };
    }),
  );

  router.post(
    '/auth/google',
    limit,
    openHandler({ body: GoogleBody }, async ({ body, req, res }) => {
      const signIn = async () => {
        const { identity, authenticatedAt } = await credentials.identify(req, res, body.credential);
        return { user: await findAccount(deps, { req, identity }), authenticatedAt };
      };
      const { user, authenticatedAt } = await signIn().catch((error: unknown) => {
        const reason = reasonOf(error);
        securityLog.record({ event: 'sign_in_failed', ip: req.ip, method: 'google', reason });
        throw error;
      });
      return issueSession({ req, res, method: 'google', authenticatedAt }, user, 'Signed in.');
    }),
  );

  return router;
}
