import { type Request, type RequestHandler, type Response, Router } from 'express';
import * as z from 'zod';
import { type Config, publicUrl } from '../../../config.ts';
import {
  GoogleBody,
  type GoogleStart,
  type SignInError,
  type TokenResult,
} from '../../../contract/auth.ts';
import type { Redis } from '../../../db/redis.ts';
import { AppError } from '../../../errors.ts';
import { openHandler } from '../../../http/handler.ts';
import { byAddress, type RateLimit } from '../../../http/rate-limit.ts';
import { principalOf } from '../../../http/require-user.ts';
import type { Log } from '../../../log.ts';
import { guestOf } from '../guest.ts';
import type { SessionEnded } from '../sessions.ts';
import { SignInFailed } from './failure.ts';
import { createFlow } from './flow.ts';
import { createGoogleCredential, NonceFlow } from './google-credential.ts';
import { createGoogleRedirect, GoogleFlow } from './google-redirect.ts';
import type { ProviderIdentity } from './identity.ts';
import { createProvider } from './provider.ts';
import { createReplitSignIn, ReplitFlow } from './replit.ts';

const GOOGLE_PATIENCE_MS = 15_000;
const FLOW_SECONDS = 600;
/** From the provider's answer to the page that fetches the token. */
const PROOF_SECONDS = 60;

export interface OpenIdRoutesDeps {
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
  /** Finds, links or makes the account. @throws AppError email_unverified */
  accountOf: (
    identity: ProviderIdentity,
    from: { guest?: SessionEnded },
  ) => Promise<{ id: string }>;
  /** Opens the session and hands its token to the browser. */
  enter: (call: { req: Request; res: Response }, userId: string) => Promise<TokenResult>;
}

/** Sign-in with Google and Replit (specification sections 2 and 7, decision 'Sign-in providers'). */
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

/** A way to sign in by going to the provider and coming back. */
interface RedirectSignIn {
  start: (req: Request, res: Response) => Promise<void>;
  finish: (req: Request, res: Response) => Promise<ProviderIdentity>;
}

const notSetUp = (reason: SignInError): RedirectSignIn => {
  const fail = async () => {
    throw new SignInFailed(reason);
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
    patience: GOOGLE_PATIENCE_MS,
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

/** What follows when somebody has come back: the page fetches the token itself, so that none stands in an address. */
function createRedirects(deps: OpenIdRoutesDeps) {
  const schema = z.object({ userId: z.string() });
  const proof = createFlow({ kind: 'proof', schema, seconds: PROOF_SECONDS }, deps);

  const leave: (run: (req: Request, res: Response) => Promise<void>) => RequestHandler =
    (run) => async (req, res) => {
      await run(req, res).catch((error: unknown) => {
        const reason = reasonOf(error);
        deps.log.warn({ err: error, reason }, 'a sign-in by redirect failed');
        res.redirect(`/login?error=${reason}`);
      });
    };

  return {
    proof,
    start: (signIn: RedirectSignIn) => leave(signIn.start),
    finish: (signIn: RedirectSignIn) =>
      leave(async (req, res) => {
        const identity = await signIn.finish(req, res);
        const { id } = await deps.accountOf(identity, guestOf(await principalOf(req)));
        await proof.begin(req, res, { userId: id });
        res.redirect('/login?continue=true');
      }),
  };
}

function reasonOf(error: unknown): SignInError {
  if (error instanceof SignInFailed) return error.reason;
  return error instanceof AppError && error.code === 'email_unverified'
    ? 'email_unverified'
    : 'failed';
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
  { enter }: OpenIdRoutesDeps,
  { limit, proof }: { limit: RequestHandler; proof: Redirects['proof'] },
): Router {
  return Router().post(
    '/auth/complete',
    limit,
    openHandler({}, async ({ req, res }) => {
      const proven = await proof.take(req, res);
      if (!proven)
        throw new AppError('unauthenticated', 'This took too long. Please sign in again.');
      return enter({ req, res }, proven.userId);
    }),
  );
}

function googleCredentialRoutes(deps: OpenIdRoutesDeps, limit: RequestHandler): Router {
  const { config, accountOf, enter } = deps;
  const clientId = config.GOOGLE_CLIENT_ID;
  const router = Router();
  if (clientId === undefined) {
    const refuse: RequestHandler = () => {
      throw new AppError(
        'not_found',
        'Google sign-in is not set up here. Please use another login method.',
      );
    };
    return router.post(['/auth/google', '/auth/google/start'], refuse);
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
    openHandler({ body: GoogleBody }, async ({ body, principal, req, res }) => {
      const identity = await credentials.identify(req, res, body.credential);
      const { id } = await accountOf(identity, guestOf(principal));
      return enter({ req, res }, id);
    }),
  );

  return router;
}
