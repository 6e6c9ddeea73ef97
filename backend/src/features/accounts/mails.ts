import { randomUUID } from 'node:crypto';
import { publicUrl } from '../../config.ts';
import { orUnavailable } from '../../errors.ts';
import type { Mailer } from '../../mail/index.ts';
import type { AccountsFeature } from './feature.ts';
import type { MailJob, MailKind } from './jobs.ts';
import type { LinkPurpose } from './link-model.ts';
import { LINK_HOURS, makeLink } from './links.ts';
import type { UserRecord } from './user-record.ts';

const REPLACED = [
  'Another email address was confirmed for your STOLAS account. It replaces this one, which no longer opens the account.',
  'If that was not you, someone else has access to your account. Contact the operator of STOLAS immediately.',
];

const STARTS_EMPTY =
  'This address has not been confirmed yet, so the link opens an empty account. To keep your current account and its contents, open the link in a browser where you are signed in to it.';

interface Draft {
  to: string;
  subject: string;
  /** Whether any client that knows the email address can request this mail. */
  counted: boolean;
  /** Called once the mail may be sent, because a new link ends the earlier one. */
  lines: () => Promise<string[]>;
}

/** Writes a mail to the current or the pending email address; null for no mail. */
type WriteDraft = (accounts: AccountsFeature, user: UserRecord) => Draft | null;

/** Requests a mail to the user of an account. @throws AppError unavailable when it could not be queued */
export async function requestMail(
  { mails }: Pick<AccountsFeature, 'mails'>,
  userId: string,
  kind: MailKind,
): Promise<void> {
  await mails.add(randomUUID(), { userId, kind }).catch(orUnavailable);
}

/** Requests a mail about a change, which takes effect even when the mail cannot be queued. */
export const notify = (
  accounts: Pick<AccountsFeature, 'mails'>,
  userId: string,
  kind: MailKind,
): Promise<void> => requestMail(accounts, userId, kind).catch(() => undefined);

/**
 * Sends one mail, unless the account is gone, there is no mail to write, or the email address has reached its ten mails of the hour.
 * Notices are always sent: requests for links must not suppress them. Rejects when it was not sent.
 */
export async function sendMail(
  accounts: AccountsFeature,
  mailer: Mailer,
  { userId, kind }: MailJob,
): Promise<void> {
  const { users, mailQuota } = accounts;
  const user = await users.find(userId);
  if (!user) return;
  if (kind === 'email-replaced') {
    await sendReplaced(accounts, mailer, user);
    return;
  }
  const draft = DRAFTS[kind](accounts, user);
  if (!draft) return;
  const send = () => deliver(mailer, draft);
  await (draft.counted ? mailQuota.within({ to: draft.to, userId }, send) : send());
}

/** To former email addresses without a link to reset the password, because the account no longer has them. */
async function sendReplaced(
  { users }: Pick<AccountsFeature, 'users'>,
  mailer: Mailer,
  { id, formerEmails }: UserRecord,
): Promise<void> {
  const mail = { subject: 'Your email address was replaced', lines: async () => REPLACED };
  for (const to of formerEmails) {
    await deliver(mailer, { ...mail, to });
    await users.forgetFormerEmail(id, to);
  }
}

async function deliver(
  mailer: Mailer,
  { to, subject, lines }: Omit<Draft, 'counted'>,
): Promise<void> {
  const text = `${(await lines()).join('\n\n')}\n`;
  await mailer.send({ to, subject: `STOLAS: ${subject}`, text });
}

const PAGES: Record<LinkPurpose, string> = { confirm: 'verify-email', reset: 'reset-password' };

/** The secret is in the fragment, which browsers do not send to any server. */
const linkTo = async (
  accounts: AccountsFeature,
  purpose: LinkPurpose,
  link: { userId: string; email: string },
) =>
  `${publicUrl(accounts.config)}/${PAGES[purpose]}#token=${await makeLink(accounts, purpose, link)}`;

const confirm: WriteDraft = (accounts, { id, email, emailVerified, pendingEmail }) => {
  const to = pendingEmail ?? (emailVerified ? null : email);
  if (to === null) return null;
  return {
    to,
    subject: 'Confirm your email address',
    counted: true,
    lines: async () => [
      'Open this link to confirm that this address is yours:',
      await linkTo(accounts, 'confirm', { userId: id, email: to }),
      `It works once, for ${LINK_HOURS.confirm} hours. If you did not ask for it, ignore this email.`,
    ],
  };
};

const reset: WriteDraft = (accounts, { id, email, emailVerified }) => {
  if (email === null) return null;
  return {
    to: email,
    subject: 'Choose a new password',
    counted: true,
    lines: async () => [
      'Open this link to choose a new password for STOLAS:',
      await linkTo(accounts, 'reset', { userId: id, email }),
      ...(emailVerified ? [] : [STARTS_EMPTY]),
      `It works once, for ${LINK_HOURS.reset} hour. If you did not ask for it, ignore this email: nothing has changed.`,
    ],
  };
};

const notice =
  (subject: string, what: string): WriteDraft =>
  ({ config }, { email, emailVerified }) => {
    if (email === null || !emailVerified) return null;
    const page = `${publicUrl(config)}/${PAGES.reset}`;
    const lines = [what, 'If that was not you, choose a new password here:', page];
    return { to: email, subject, counted: false, lines: async () => lines };
  };

const DRAFTS: Record<Exclude<MailKind, 'email-replaced'>, WriteDraft> = {
  confirm,
  reset,
  'password-changed': notice(
    'Your password was changed',
    'The password of your STOLAS account was changed.',
  ),
  'email-changing': notice(
    'Your email address is about to change',
    'Another email address was entered for your STOLAS account. Once it is confirmed, it replaces this one.',
  ),
  'email-changed': notice(
    'Your email address was changed',
    'This is now the email address of your STOLAS account.',
  ),
  'provider-linked': notice(
    'A sign-in provider was linked',
    'You can now also sign in to your STOLAS account with Google or Replit. Your settings show which.',
  ),
};
