import { Router } from 'express';
import {
  ChangeEmailBody,
  ChangePasswordBody,
  ConfirmEmailBody,
  DeleteAccountBody,
  ForgotPasswordBody,
  type MessageResult,
  ProfileBody,
  ResetPasswordBody,
  type User,
} from '../../contract/auth.ts';
import { AppError, unauthenticated } from '../../errors.ts';
import { handler, openHandler } from '../../http/handler.ts';
import type { SessionCookie } from '../../http/session-token.ts';
import type { Enter } from './entrance.ts';
import type { Limits } from './limits.ts';
import { presentUser } from './present.ts';
import type { AccountsService } from './service.ts';
import type { UserRecord } from './user-model.ts';

interface CredentialRoutesDeps {
  accounts: AccountsService;
  limits: Limits;
  cookie: SessionCookie;
  enter: Enter;
}

const say = (message: string): MessageResult => ({ message });

/** What people change about their own account, and the mailed links that prove who they are. */
export function credentialRoutes(deps: CredentialRoutesDeps): Router {
  return Router().use(profileRoutes(deps), passwordRoutes(deps), emailRoutes(deps));
}

const accountOf = async (accounts: AccountsService, id: string): Promise<UserRecord> => {
  const user = await accounts.find(id);
  if (!user) throw unauthenticated();
  return user;
};

/** A guest has no address and no password to change. @throws AppError forbidden */
const registeredOf = async (accounts: AccountsService, id: string): Promise<UserRecord> => {
  const user = await accountOf(accounts, id);
  if (user.subscriptionStatus !== 'guest') return user;
  throw new AppError('forbidden', 'Create an account first; your conversations stay.');
};

function profileRoutes({ accounts, limits, cookie }: CredentialRoutesDeps): Router {
  const router = Router();

  router.patch(
    '/auth/user',
    limits.account,
    handler({ body: ProfileBody }, async ({ user, body }): Promise<User> => {
      const { id } = await registeredOf(accounts, user.id);
      const { firstName, lastName } = body;
      const fields = {
        ...(firstName !== undefined && { firstName }),
        ...(lastName !== undefined && { lastName }),
      };
      return presentUser(await accounts.setProfile(id, fields));
    }),
  );

  router.delete(
    '/auth/user',
    limits.ownPassword,
    handler({ body: DeleteAccountBody }, async ({ user, body, req, res }) => {
      const account = await accountOf(accounts, user.id);
      await accounts.requireOwner({ user: account, currentPassword: body.currentPassword });
      await accounts.deleteAccount(account);
      cookie.clear(req, res);
      res.status(202);
      return say('Your account is deleted. What it held is being removed.');
    }),
  );

  return router;
}

function passwordRoutes({ accounts, limits, enter }: CredentialRoutesDeps): Router {
  const router = Router();

  router.post(
    '/auth/password',
    limits.ownPassword,
    handler({ body: ChangePasswordBody }, async ({ user, session, body }) => {
      const account = await registeredOf(accounts, user.id);
      await accounts.changePassword({ user: account, sessionId: session.id }, body);
      return say('Your password is changed. Other browsers are signed out.');
    }),
  );

  router.post(
    '/auth/password/forgot',
    ...limits.mails,
    openHandler({ body: ForgotPasswordBody }, async ({ body }) => {
      await accounts.forgotPassword(body.email);
      return say('If there is an account with this address, a link is on its way to it.');
    }),
  );

  router.post(
    '/auth/password/reset',
    limits.links,
    openHandler({ body: ResetPasswordBody }, async ({ body, req, res }) => {
      const user = await accounts.resetPassword(body);
      return enter({ req, res }, user, 'Your new password is set.');
    }),
  );

  return router;
}

function emailRoutes({ accounts, limits }: CredentialRoutesDeps): Router {
  const router = Router();

  router.post(
    '/auth/email',
    limits.ownPassword,
    ...limits.mails,
    handler({ body: ChangeEmailBody }, async ({ user, body }) => {
      const account = await registeredOf(accounts, user.id);
      await accounts.changeEmail(account, body);
      return say('Open the link that was sent to the new address. Until then the old one stays.');
    }),
  );

  router.post(
    '/auth/email/resend',
    limits.ownMails,
    handler({}, async ({ user }) => {
      await accounts.resendConfirmation(await registeredOf(accounts, user.id));
      return say('The link is on its way.');
    }),
  );

  router.post(
    '/auth/email/confirm',
    limits.links,
    openHandler({ body: ConfirmEmailBody }, async ({ body }) => {
      await accounts.confirmEmail(body.token);
      return say('Your e-mail address is confirmed.');
    }),
  );

  return router;
}
