import { Router } from 'express';
import { type Actor, requireRegistered } from '../../access/index.ts';
import {
  ChangeEmailBody,
  ChangePasswordBody,
  ConfirmEmailBody,
  DeletionBody,
  ForgotPasswordBody,
  type MessageResult,
  ProfileBody,
  ResetPasswordBody,
  type User,
} from '../../contract/auth.ts';
import type { DeletionResult } from '../../contract/privacy.ts';
import { handler, openHandler } from '../../http/index.ts';
import {
  cancelEmailChange,
  changeEmail,
  changePassword,
  changeProfile,
  confirmEmail,
  forgotPassword,
  resetPassword,
} from './credentials.ts';
import type { AccountsFeature } from './feature.ts';
import { issueSession } from './issue-session.ts';
import type { Limits } from './limits.ts';
import { requestMail } from './mails.ts';
import { recordCall, requireUser } from './own-calls.ts';
import { presentUser } from './present.ts';
import { requireProof } from './proof.ts';
import { deleteAccount } from './removals.ts';
import type { UserRecord } from './user-record.ts';

/** Changes of the user's own account, and the mailed links that verify it. */
export const credentialRoutes = (accounts: AccountsFeature, limits: Limits): Router =>
  Router().use(
    profileRoutes(accounts, limits),
    passwordRoutes(accounts, limits),
    emailRoutes(accounts, limits),
  );

const RESET = 'Your new password is set.';
const RESET_AND_EMPTY =
  'Your new password is set. This email address had never been confirmed, so your account starts empty.';

const say = (message: string): MessageResult => ({ message });

/**
 * A guest has no email address and no password to change.
 * @throws AppError forbidden
 */
const requireRegisteredUser = async (
  accounts: AccountsFeature,
  actor: Actor,
): Promise<UserRecord> => {
  requireRegistered(actor);
  return requireUser(accounts, actor);
};

function profileRoutes(accounts: AccountsFeature, limits: Limits): Router {
  const router = Router();

  router.patch(
    '/auth/user',
    limits.account,
    handler({ body: ProfileBody }, async ({ actor, body }): Promise<User> => {
      const { id } = await requireRegisteredUser(accounts, actor);
      const { firstName, lastName } = body;
      const fields = {
        ...(firstName !== undefined && { firstName }),
        ...(lastName !== undefined && { lastName }),
      };
      const [user, plan] = await Promise.all([
        changeProfile(accounts, id, fields),
        accounts.others.usage.readPlan(actor),
      ]);
      return presentUser(user, plan);
    }),
  );

  router.delete(
    '/auth/user',
    limits.ownPassword,
    handler({ body: DeletionBody }, async ({ actor, body, req, res }): Promise<DeletionResult> => {
      const { userId, sessionId } = actor;
      const user = await requireUser(accounts, actor);
      const receiptId = await recordCall(
        accounts,
        { event: 'account_deleted', userId, req },
        async () => {
          await requireProof(accounts, { user, sessionId }, body.currentPassword);
          return deleteAccount(accounts, user, body);
        },
      );
      accounts.cookie.clear(req, res);
      res.status(202);
      return { ...say('Your account is deleted. What it held is being removed.'), receiptId };
    }),
  );

  return router;
}

function passwordRoutes(accounts: AccountsFeature, limits: Limits): Router {
  const { securityLog } = accounts;
  const router = Router();

  router.post(
    '/auth/password',
    limits.ownPassword,
    handler({ body: ChangePasswordBody }, async ({ actor, body, req }) => {
      const { userId, sessionId } = actor;
      const user = await requireRegisteredUser(accounts, actor);
      await recordCall(accounts, { event: 'password_changed', userId, req }, () =>
        changePassword(accounts, { user, sessionId }, body),
      );
      return say('Your password is changed. Other browsers are signed out.');
    }),
  );

  router.post(
    '/auth/password/forgot',
    limits.mails,
    openHandler({ body: ForgotPasswordBody }, async ({ body, req }) => {
      const { userId } = await forgotPassword(accounts, body.email);
      securityLog.record({ event: 'reset_requested', userId, ip: req.ip });
      return say('If there is an account with this address, a link is on its way to it.');
    }),
  );

  router.post(
    '/auth/password/reset',
    limits.links,
    openHandler({ body: ResetPasswordBody }, async ({ body, actor, req, res }) => {
      const reset = await resetPassword(accounts, body, { presented: actor });
      const { user, event, formerUserId } = reset;
      securityLog.record({ event, userId: user.id, formerUserId, ip: req.ip });
      const message = formerUserId === undefined ? RESET : RESET_AND_EMPTY;
      return issueSession(accounts, user, { req, res, method: 'mailed_link', message });
    }),
  );

  return router;
}

function emailRoutes(accounts: AccountsFeature, limits: Limits): Router {
  const { securityLog } = accounts;
  const router = Router();

  router.post(
    '/auth/email',
    limits.ownPassword,
    limits.mails,
    handler({ body: ChangeEmailBody }, async ({ actor, body, req }) => {
      const { userId, sessionId } = actor;
      const user = await requireRegisteredUser(accounts, actor);
      await recordCall(accounts, { event: 'email_change_requested', userId, req }, () =>
        changeEmail(accounts, { user, sessionId }, body),
      );
      return say('Open the link that was sent to the new address. Until then the old one stays.');
    }),
  );

  router.delete(
    '/auth/email/pending',
    limits.account,
    handler({}, async ({ actor, req }): Promise<User> => {
      requireRegistered(actor);
      const { userId } = actor;
      const cancelled = await cancelEmailChange(accounts, userId);
      if (cancelled) securityLog.record({ event: 'email_change_cancelled', userId, ip: req.ip });
      const user = cancelled ?? (await requireUser(accounts, actor));
      return presentUser(user, await accounts.others.usage.readPlan(actor));
    }),
  );

  router.post(
    '/auth/email/resend',
    limits.ownMails,
    handler({}, async ({ actor }) => {
      const { id } = await requireRegisteredUser(accounts, actor);
      await requestMail(accounts, id, 'confirm');
      return say('The link is on its way.');
    }),
  );

  router.post(
    '/auth/email/confirm',
    limits.links,
    limits.linkPassword,
    openHandler({ body: ConfirmEmailBody }, async ({ body, actor, req }) => {
      const { user, changed } = await confirmEmail(accounts, body, actor);
      const event = changed ? 'email_changed' : 'email_verified';
      securityLog.record({ event, userId: user.id, ip: req.ip });
      return say('Your email address is confirmed.');
    }),
  );

  return router;
}
