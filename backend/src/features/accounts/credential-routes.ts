import { Router } from 'express';
import { type Actor, requireRegistered } from '../../access/index.ts';
import {
  ChangeEmailBody,
  ChangePasswordBody,
  ConfirmEmailBody,
  ForgotPasswordBody,
  type MessageResult,
  ProfileBody,
  ProofBody,
  ResetPasswordBody,
  type User,
} from '../../contract/auth.ts';
import type { DeletionResult } from '../../contract/deletion.ts';
import { unauthenticated } from '../../errors.ts';
import { handler, openHandler, type SessionCookie } from '../../http/index.ts';
import type { SecurityLog } from '../../security-log.ts';
import type { IssueSession } from './issue-session.ts';
import type { Limits } from './limits.ts';
import { recorded } from './own-calls.ts';
import { type PlanOf, presentUser } from './present.ts';
import type { AccountsService } from './service.ts';
import type { UserRecord } from './user-record.ts';

interface CredentialRoutesDeps {
  accounts: AccountsService;
  limits: Limits;
  cookie: SessionCookie;
  issueSession: IssueSession;
  securityLog: SecurityLog;
  planOf: PlanOf;
}

/** Changes of the user's own account, and the mailed links that verify it. */
export function credentialRoutes(deps: CredentialRoutesDeps): Router {
  return Router().use(profileRoutes(deps), passwordRoutes(deps), emailRoutes(deps));
}

const RESET = 'Your new password is set.';
const RESET_AND_EMPTY =
  'Your new password is set. This email address had never been confirmed, so your account starts empty.';

const say = (message: string): MessageResult => ({ message });

const userOf = async (accounts: AccountsService, { userId }: Actor): Promise<UserRecord> => {
  const user = await accounts.find(userId);
  if (!user) throw unauthenticated();
  return user;
};

/** A guest has no address and no password to change. @throws AppError forbidden */
const registeredUserOf = async (accounts: AccountsService, actor: Actor): Promise<UserRecord> => {
  requireRegistered(actor);
  return userOf(accounts, actor);
};

function profileRoutes(deps: CredentialRoutesDeps): Router {
  const { accounts, limits, cookie, planOf } = deps;
  const router = Router();

  router.patch(
    '/auth/user',
    limits.account,
    handler({ body: ProfileBody }, async ({ actor, body }): Promise<User> => {
      const { id } = await registeredUserOf(accounts, actor);
      const { firstName, lastName } = body;
      const fields = {
        ...(firstName !== undefined && { firstName }),
        ...(lastName !== undefined && { lastName }),
      };
      const [user, plan] = await Promise.all([accounts.setProfile(id, fields), planOf(actor)]);
      return presentUser(user, plan);
    }),
  );

  router.delete(
    '/auth/user',
    limits.ownPassword,
    handler({ body: ProofBody }, async ({ actor, body, req, res }): Promise<DeletionResult> => {
      const { userId, sessionId } = actor;
      const user = await userOf(accounts, actor);
      const receiptId = await recorded(
        deps,
        { event: 'account_deleted', userId, req },
        async () => {
          await accounts.requireProof({ user, sessionId }, body.currentPassword);
          return accounts.deleteAccount(user);
        },
      );
      cookie.clear(req, res);
      res.status(202);
      return { ...say('Your account is deleted. What it held is being removed.'), receiptId };
    }),
  );

  return router;
}

function passwordRoutes(deps: CredentialRoutesDeps): Router {
  const { accounts, limits, issueSession, securityLog } = deps;
  const router = Router();

  router.post(
    '/auth/password',
    limits.ownPassword,
    handler({ body: ChangePasswordBody }, async ({ actor, body, req }) => {
      const { userId, sessionId } = actor;
      const user = await registeredUserOf(accounts, actor);
      await recorded(deps, { event: 'password_changed', userId, req }, () =>
        accounts.changePassword({ user, sessionId }, body),
      );
      return say('Your password is changed. Other browsers are signed out.');
    }),
  );

  router.post(
    '/auth/password/forgot',
    limits.mails,
    openHandler({ body: ForgotPasswordBody }, async ({ body, req }) => {
      const { userId } = await accounts.forgotPassword(body.email);
      securityLog.record({ event: 'reset_requested', userId, ip: req.ip });
      return say('If there is an account with this address, a link is on its way to it.');
    }),
  );

  router.post(
    '/auth/password/reset',
    limits.links,
    openHandler({ body: ResetPasswordBody }, async ({ body, actor, req, res }) => {
      const from = { presentedUserId: actor?.userId };
      const { user, event, formerUserId } = await accounts.resetPassword(body, from);
      securityLog.record({ event, userId: user.id, formerUserId, ip: req.ip });
      const message = formerUserId === undefined ? RESET : RESET_AND_EMPTY;
      return issueSession({ req, res, method: 'mailed_link' }, user, message);
    }),
  );

  return router;
}

function emailRoutes(deps: CredentialRoutesDeps): Router {
  const { accounts, limits, securityLog } = deps;
  const router = Router();

  router.post(
    '/auth/email',
    limits.ownPassword,
    limits.mails,
    handler({ body: ChangeEmailBody }, async ({ actor, body, req }) => {
      const { userId, sessionId } = actor;
      const user = await registeredUserOf(accounts, actor);
      await recorded(deps, { event: 'email_change_requested', userId, req }, () =>
        accounts.changeEmail({ user, sessionId }, body),
      );
      return say('Open the link that was sent to the new address. Until then the old one stays.');
    }),
  );

  router.post(
    '/auth/email/resend',
    limits.ownMails,
    handler({}, async ({ actor }) => {
      await accounts.resendConfirmation(await registeredUserOf(accounts, actor));
      return say('The link is on its way.');
    }),
  );

  router.post(
    '/auth/email/confirm',
    limits.links,
    limits.linkPassword,
    openHandler({ body: ConfirmEmailBody }, async ({ body, actor, req }) => {
      const { user, changed } = await accounts.confirmEmail(body, actor);
      const event = changed ? 'email_changed' : 'email_verified';
      securityLog.record({ event, userId: user.id, ip: req.ip });
      return say('Your email address is confirmed.');
    }),
  );

  return router;
}
