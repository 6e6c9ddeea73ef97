import { type Request, type RequestHandler, type Response, Router } from 'express';
import * as z from 'zod';
import { GoogleBody, type GoogleStart } from '../../../contract/auth.ts';
import { AppError } from '../../../errors.ts';
import { actorOf, byAddress, openHandler, type RateLimit } from '../../../http/index.ts';
import type { AccountsFeature } from '../feature.ts';
import { findOrCreateAccount } from '../identities.ts';
import { issueSession } from '../issue-session.ts';
import type { AtVersion } from '../user-record.ts';
import { reasonOf, SignInFailedError } from './failure.ts';
import { createFlow, type Flow } from './flow.ts';
import { type GoogleWidget, identifyByCredential, startCredential } from './google-credential.ts';
import type { ProviderIdentity } from './identity.ts';
import { type RedirectSignIn, setUpGoogle, setUpReplit } from './providers.ts';

/** A sign-in after its callback, until the page fetches its token. */
const VerifiedSignIn = z.object({
  userId: z.string(),
  credentialVersion: z.number(),
  method: z.enum(['google', 'replit']),
  authenticatedAt: z.coerce.date().nullable().default(null),
});
type ProofFlow = Flow<z.infer<typeof VerifiedSignIn>>;
const PROOF_SECONDS = 60;

/** Sign-in with Google and Replit. */
export function openIdRoutes(accounts: AccountsFeature, rateLimit: RateLimit): Router {
  const limit = rateLimit({
    name: 'provider-address',
    points: 120,
    seconds: 600,
    key: byAddress,
  });
  const settings = { kind: 'proof', schema: VerifiedSignIn, seconds: PROOF_SECONDS };
  const proof = createFlow(settings, accounts);
  const google = setUpGoogle(accounts);
  const replit = setUpReplit(accounts);
  return Router().use(
    google.widget ? widgetRoutes(accounts, google.widget, limit) : missingWidgetRoutes(),
    Router()
      .get('/auth/google', limit, redirectHandler(accounts, google.redirect.start))
      .get('/auth/google/callback', limit, callbackHandler(accounts, google.redirect, proof))
      .get('/login', limit, redirectHandler(accounts, replit.start))
      .get('/login/callback', limit, callbackHandler(accounts, replit, proof)),
    completionRoute(accounts, proof, limit),
  );
}

/** Redirects to the login page when `run` fails. */
function redirectHandler(
  { log, securityLog }: AccountsFeature,
  run: (req: Request, res: Response) => Promise<void>,
): RequestHandler {
  return async (req, res) => {
    await run(req, res).catch((error: unknown) => {
      const reason = reasonOf(error);
      log.warn({ err: error, reason }, 'sign-in by redirect failed');
      securityLog.record({ event: 'sign_in_failed', ip: req.ip, reason });
      res.redirect(`/login?error=${reason}`);
    });
  };
}

/** After the callback the page fetches the token itself, so that no URL contains it. */
const callbackHandler = (accounts: AccountsFeature, signIn: RedirectSignIn, proof: ProofFlow) =>
  redirectHandler(accounts, async (req, res) => {
    const { identity, authenticatedAt, isRepeated } = await signIn.finish(req, res);
    if (isRepeated) await refuseOtherAccount(accounts, req, identity);
    const { id: userId, credentialVersion } = await findAccount(accounts, req, identity);
    const { provider: method } = identity;
    const data = { userId, credentialVersion, method, authenticatedAt };
    await proof.begin(req, res, { data });
    res.redirect('/login?continue=true');
  });

/** The account of an identity; records the changes that the sign-in made to it. */
async function findAccount(
  accounts: AccountsFeature,
  req: Request,
  identity: ProviderIdentity,
): Promise<AtVersion> {
  const proven = await findOrCreateAccount(accounts, identity, { presented: await actorOf(req) });
  const { user, event, formerUserId } = proven;
  const record = { userId: user.id, formerUserId, ip: req.ip, method: identity.provider };
  if (event) accounts.securityLog.record({ event, ...record });
  return user;
}

/** A user who proves the identity of the session must not be signed in to another account by it. @throws SignInFailedError */
async function refuseOtherAccount(
  { users }: AccountsFeature,
  req: Request,
  identity: ProviderIdentity,
): Promise<void> {
  const actor = await actorOf(req);
  if (!actor || actor.isGuest) return;
  const linked = await users.findByProvider(identity);
  if (linked?.id !== actor.userId) throw new SignInFailedError('other_account');
}

const completionRoute = (
  accounts: AccountsFeature,
  proof: ProofFlow,
  limit: RequestHandler,
): Router =>
  Router().post(
    '/auth/complete',
    limit,
    openHandler({}, async ({ req, res }) => {
      const verified = await proof.take(req);
      if (!verified)
        throw new AppError('unauthenticated', 'This took too long. Please sign in again.');
      const { userId: id, credentialVersion, method, authenticatedAt } = verified;
      const signIn = { req, res, method, authenticatedAt, message: 'Signed in.' };
      return issueSession(accounts, { id, credentialVersion }, signIn);
    }),
  );

function missingWidgetRoutes(): Router {
  const reject: RequestHandler = () => {
    throw new AppError(
      'not_found',
      'Google sign-in is not set up here. Please use another login method.',
    );
  };
  return Router().post(['/auth/google', '/auth/google/start'], reject);
}

function widgetRoutes(
  accounts: AccountsFeature,
  widget: GoogleWidget,
  limit: RequestHandler,
): Router {
  const { config, securityLog } = accounts;
  const router = Router();

  router.post(
    '/auth/google/start',
    limit,
    openHandler({}, async ({ req, res }): Promise<GoogleStart> => {
      const nonce = await startCredential(widget, req, res);
      const redirect = config.GOOGLE_CLIENT_SECRET !== undefined;
      return { clientId: widget.clientId, nonce, redirect };
    }),
  );

  router.post(
    '/auth/google',
    limit,
    openHandler({ body: GoogleBody }, async ({ body: { credential }, req, res }) => {
      const identify = async () => {
        const found = await identifyByCredential(widget, { req, credential });
        const { identity, authenticatedAt } = found;
        return { user: await findAccount(accounts, req, identity), authenticatedAt };
      };
      const { user, authenticatedAt } = await identify().catch((error: unknown) => {
        const reason = reasonOf(error);
        securityLog.record({ event: 'sign_in_failed', ip: req.ip, method: 'google', reason });
        throw error;
      });
      const signIn = { req, res, method: 'google' as const, authenticatedAt };
      return issueSession(accounts, user, { ...signIn, message: 'Signed in.' });
    }),
  );

  return router;
}
