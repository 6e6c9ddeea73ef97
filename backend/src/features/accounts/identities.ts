import { AppError, unavailable } from '../../errors.ts';
import type { RequestMail } from './credentials.ts';
import type { ProviderIdentity } from './openid/identity.ts';
import { ignoreTaken, type ProvenAccount, type TakeOver } from './takeover.ts';
import type { UserStore } from './user-model.ts';
import type { UserRecord } from './user-record.ts';

const NAMES = { google: 'Google', replit: 'Replit' };
/** Retries for parallel sign-ins of one user: the later one finds what the earlier one created. */
const ATTEMPTS = 3;

export interface IdentitiesDeps {
  users: UserStore;
  takeOver: TakeOver;
  requestMail: RequestMail;
  onChanged: (user: UserRecord) => Promise<void>;
  now: () => Date;
}

interface Attempt {
  identity: ProviderIdentity;
  email: string;
  presentedUserId: string | undefined;
}

/** Accounts of users whom a sign-in provider has identified. */
export function createIdentities(deps: IdentitiesDeps) {
  const { users, requestMail, onChanged, now } = deps;

  const registrationOf = ({ identity, email }: Attempt) => {
    const { provider, subject, firstName, lastName } = identity;
    return { email, emailVerified: true as const, firstName, lastName, [provider]: subject };
  };

  const link = async (holder: UserRecord, identity: ProviderIdentity) => {
    if (holder.signInProviders.includes(identity.provider)) throw conflict(identity.provider);
    const user = await users.linkProvider(holder, identity);
    if (!user) return null;
    await requestMail(user.id, 'provider-linked').catch(() => undefined);
    await onChanged(user);
    return { user, event: 'provider_linked' as const };
  };

  const takeOver = async (holder: UserRecord, attempt: Attempt) => {
    const user = await deps.takeOver(holder, registrationOf(attempt), attempt);
    return user && { user, event: 'account_taken_over' as const, formerUserId: holder.id };
  };

  /** Null when the account was changed at the same moment, and it is to be looked up again. */
  const signIn = async (attempt: Attempt): Promise<ProvenAccount | null> => {
    const { identity, email, presentedUserId } = attempt;
    const linked = await users.findByProvider(identity);
    if (linked) return { user: linked };
    const holder = await users.findByEmail(email);
    if (!holder) {
      const user = await users.register(registrationOf(attempt), { presentedUserId, now: now() });
      return { user, event: 'registered' };
    }
    const isOwn = holder.id === presentedUserId;
    return holder.emailVerified || isOwn ? link(holder, identity) : takeOver(holder, attempt);
  };

  return {
    /**
     * The account of a user whom a provider has identified: the linked one, else the one with the same email address,
     * else a new one, which is the guest's own when a guest signs in. The address of an unverified account goes to the owner
     * of the mailbox, unless it is that account's own user who signs in (docs/decisions/0006-one-account-per-email.md).
     * @throws AppError email_unverified, provider_conflict
     */
    accountOf: async (
      identity: ProviderIdentity,
      { presentedUserId }: { presentedUserId?: string | undefined } = {},
    ): Promise<ProvenAccount> => {
      const linked = await users.findByProvider(identity);
      if (linked) return { user: linked };
      const email = verifiedEmail(identity);
      for (let n = 0; n < ATTEMPTS; n += 1) {
        const found = await signIn({ identity, email, presentedUserId }).catch(ignoreTaken);
        if (found) return found;
      }
      throw unavailable();
    },
  };
}

function verifiedEmail({ provider, email, emailVerified }: ProviderIdentity): string {
  if (email !== null && emailVerified) return email.toLowerCase();
  throw new AppError(
    'email_unverified',
    `${NAMES[provider]} has not verified your email address. Verify it there, or use another login method.`,
  );
}

const conflict = (provider: ProviderIdentity['provider']) =>
  new AppError(
    'provider_conflict',
    `Your account is linked to another ${NAMES[provider]} account. Sign in with that one, or with your password.`,
  );
