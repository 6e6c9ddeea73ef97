import type { Mailer } from '../../mail/index.ts';
import type { MailJob, MailKind } from './jobs.ts';
import { LINK_HOURS, type Links } from './links.ts';
import type { MailQuota } from './mail-quota.ts';
import type { UserStore } from './user-model.ts';
import type { UserRecord } from './user-record.ts';

interface MailsDeps {
  users: UserStore;
  links: Links;
  mailer: Mailer;
  quota: MailQuota;
  /** Where links lead, without a slash at the end. */
  baseUrl: string;
}

interface Mail {
  to: string;
  subject: string;
  lines: string[];
}

/** Mails to the present or the pending address. */
type LinkOrNotice = Exclude<MailKind, 'email-replaced'>;

const REPLACED = [
  'Another email address was confirmed for your STOLAS account. It replaces this one, which no longer opens the account.',
  'If that was not you, somebody else has your account: tell the operator of STOLAS at once.',
];

const STARTS_EMPTY =
  'This address has not been confirmed yet, so the link opens an empty account. To keep what is in the present one, open the link in a browser in which you are signed in to it.';

interface Draft extends Omit<Mail, 'lines'> {
  /** Whether anyone who knows the address can request this mail. */
  counted: boolean;
  /** Called once the mail may be sent: a new link ends the earlier one. */
  lines: () => Promise<string[]>;
}

/** Writes and sends the mails about accounts. */
export function createAccountMails({ users, links, mailer, quota, baseUrl }: MailsDeps) {
  /** The secret is in the fragment, which browsers send to no server and no other site. */
  const linkTo = async (purpose: 'confirm' | 'reset', userId: string, email: string) => {
    const page = { confirm: 'verify-email', reset: 'reset-password' }[purpose];
    return `${baseUrl}/${page}#token=${await links.make(purpose, { userId, email })}`;
  };

  const confirm = (user: UserRecord): Draft | null => {
    const to = user.pendingEmail ?? (user.emailVerified ? null : user.email);
    if (to === null) return null;
    return {
      to,
      subject: 'Confirm your email address',
      counted: true,
      lines: async () => [
        'Open this link to confirm that this address is yours:',
        await linkTo('confirm', user.id, to),
        `It works once, for ${LINK_HOURS.confirm} hours. If you did not ask for it, ignore this email.`,
      ],
    };
  };

  const reset = ({ id, email, emailVerified }: UserRecord): Draft | null =>
    email === null
      ? null
      : {
          to: email,
          subject: 'Choose a new password',
          counted: true,
          lines: async () => [
            'Open this link to choose a new password for STOLAS:',
            await linkTo('reset', id, email),
            ...(emailVerified ? [] : [STARTS_EMPTY]),
            `It works once, for ${LINK_HOURS.reset} hour. If you did not ask for it, ignore this email: nothing has changed.`,
          ],
        };

  const notice =
    (subject: string, what: string) =>
    ({ email, emailVerified }: UserRecord): Draft | null =>
      email === null || !emailVerified
        ? null
        : {
            to: email,
            subject,
            counted: false,
            lines: async () => [
              what,
              'If that was not you, choose a new password here:',
              `${baseUrl}/reset-password`,
            ],
          };

  const deliver = async ({ to, subject, lines }: Omit<Draft, 'counted'>): Promise<void> => {
    const text = `${(await lines()).join('\n\n')}\n`;
    await mailer.send({ to, subject: `STOLAS: ${subject}`, text });
  };

  /** To former addresses: the account is not theirs any more, so a link to reset its password is of no use to them. */
  const sendReplaced = async ({ id, formerEmails }: UserRecord): Promise<void> => {
    for (const to of formerEmails) {
      await deliver({
        to,
        subject: 'Your email address was replaced',
        lines: async () => REPLACED,
      });
      await users.forgetFormerEmail(id, to);
    }
  };

  const drafts: Record<LinkOrNotice, (user: UserRecord) => Draft | null> = {
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
      'Your STOLAS account can now also be opened by a sign-in with Google or Replit, as Settings show.',
    ),
  };

  return {
    /**
     * Sends one mail; nothing when the account is gone, there is nothing to write, or the address has reached its ten
     * mails of the hour. Notices are always sent: requests for links must not suppress them. Rejects when it was not
     * sent.
     */
    send: async ({ userId, kind }: MailJob): Promise<void> => {
      const user = await users.find(userId);
      if (!user) return;
      if (kind === 'email-replaced') {
        await sendReplaced(user);
        return;
      }
      const draft = drafts[kind](user);
      if (!draft) return;
      if (draft.counted && !(await quota.take(draft.to, userId))) return;
      await deliver(draft).catch(async (error: unknown) => {
        if (draft.counted) await quota.giveBack(draft.to);
        throw error;
      });
    },
  };
}
