import { callbackify } from 'node:util';
import type { Request, Response } from 'express';
import passportModule from 'passport';
import { Strategy as LocalStrategy } from 'passport-local';
import type { AccountsFeature } from './feature.ts';
import { verifyCredentials } from './proof.ts';
import type { UserRecord } from './user-record.ts';

/** Checks the email address and password in a validated body; null when they do not belong together. */
type PasswordSignIn = (req: Request, res: Response) => Promise<UserRecord | null>;

/** Wraps the passport strategy, which is made once for each process (docs/decisions/0007-provider-sign-in.md). */
export function createPasswordSignIn(accounts: AccountsFeature): PasswordSignIn {
  // A separate instance: the module's default one is shared by all importers.
  const passport = new passportModule.Passport();
  const verify = async (email: string, password: string) =>
    (await verifyCredentials(accounts, { email, password })) ?? false;
  passport.use(new LocalStrategy({ usernameField: 'email', session: false }, callbackify(verify)));
  return (req, res) =>
    new Promise((resolve, reject) => {
      const settle = (error: unknown, user?: Express.User | false | null) => {
        if (error) reject(error);
        else resolve(user ? (user as UserRecord) : null);
      };
      const check = passport.authenticate('local', { session: false }, settle);
      check(req, res, reject);
    });
}
