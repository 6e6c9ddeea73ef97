import { AppError, unavailable } from '../../errors.ts';
import { createAccount, type Presented } from './create-account.ts';
import { publishAccount } from './events.ts';
import type { AccountsFeature } from './feature.ts';
import { notify } from './mails.ts';
import type { ProviderIdentity } from './openid/identity.ts';
import { ignoreTaken, type ProvenAccount, takeOver } from './takeover.ts';
import type { UserRecord } from './user-record.ts';

const NAMES = { google: 'Google', replit: 'Replit' };
/** Parallel sign-ins of one user: the later one finds the account that the earlier one created. */
const MAX_ATTEMPTS = 3;

interface SignIn extends Presented {
  identity: ProviderIdentity;
  email: string;
}

/**
 * The account of a user whom a provider has identified: the linked one, else the one with the same email address, else a new one, which is
 * the guest's own when a guest signs in. The email address of an unverified account is moved to the owner of the mailbox, unless its own
 * user signs in (docs/decisions/0006-one-account-per-email.md).
 * @throws AppError email_unverified, provider_conflict
 */
export async function findOrCreateAccount(
  accounts: AccountsFeature,
  identity: ProviderIdentity,
  { presented }: Presented = {},
): Promise<ProvenAccount> {
  const linked = await accounts.users.findByProvider(identity);
  if (linked) return { user: linked };
  const email = verifiedEmail(identity);
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const signIn = { identity, email, presented };
    const found = await lookUp(accounts, signIn).catch(ignoreTaken);
    if (found) return found;
  }
  throw unavailable();
}

/** Null when the account was changed at the same moment, and must be looked up again. */
async function lookUp(accounts: AccountsFeature, signIn: SignIn): Promise<ProvenAccount | null> {
  const { users } = accounts;
  const { identity, email, presented } = signIn;
  const linked = await users.findByProvider(identity);
  if (linked) return { user: linked };
  const holder = await users.findByEmail(email);
  const registration = registrationOf(signIn);
  if (!holder) {
    const user = await createAccount(accounts, registration, { presented });
    return { user, event: 'registered' };
  }
  if (holder.emailVerified || holder.id === presented?.userId)
    return linkProvider(accounts, holder, identity);
  const user = await takeOver(accounts, { holder, registration, presented });
  return user && { user, event: 'account_taken_over', formerUserId: holder.id };
}

async function linkProvider(
  accounts: AccountsFeature,
  holder: UserRecord,
  identity: ProviderIdentity,
): Promise<ProvenAccount | null> {
  if (holder.signInProviders.includes(identity.provider)) throw conflict(identity.provider);
  const user = await accounts.users.linkProvider(holder, identity);
  if (!user) return null;
  await notify(accounts, user.id, 'provider-linked');
  await publishAccount(accounts, user);
  return { user, event: 'provider_linked' };
}

const registrationOf = ({ identity, email }: SignIn) => {
  const { provider, subject, firstName, lastName } = identity;
  return { email, emailVerified: true as const, firstName, lastName, [provider]: subject };
};

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
