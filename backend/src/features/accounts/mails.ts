import * as z from 'zod';
import { defineJob } from '../../jobs/define-job.ts';
import type { Mailer } from '../../mail/index.ts';
import { LINK_HOURS, type Links } from './links.ts';
import type { UserRecord, UserStore } from './user-model.ts';

/** What an account may be written about. */
export const MAIL_KINDS = ['confirm', 'reset', 'password-changed', 'email-changing'] as const;
export type MailKind = (typeof MAIL_KINDS)[number];

/** Writes to the owner of an account. Address and link are looked up when the job runs: a queue holds no secret. */
export const mailJob = defineJob({
  name: 'mails',
  schema: z.object({ userId: z.string(), kind: z.enum(MAIL_KINDS) }),
  // Ten tries within about three quarters of an hour: a mail server may restart.
  retry: { attempts: 10, firstMs: 5_000 },
});
export type MailJob = z.infer<typeof mailJob.schema>;

interface MailsDeps {
  users: UserStore;
  links: Links;
  mailer: Mailer;
  /** Where links lead, without a slash at the end. */
  baseUrl: string;
}

interface Letter {
  to: string;
  subject: string;
  lines: string[];
}

/** Writes and sends the mails about accounts. */
export function createAccountMails({ users, links, mailer, baseUrl }: MailsDeps) {
  /** The secret stands behind the #, which browsers send to no server and no other site. */
  const linkTo = async (purpose: 'confirm' | 'reset', userId: string, email: string) => {
    const page = { confirm: 'verify-email', reset: 'reset-password' }[purpose];
    return `${baseUrl}/${page}#token=${await links.make(purpose, { userId, email })}`;
  };

  const confirm = async (user: UserRecord): Promise<Letter | null> => {
    const to = user.pendingEmail ?? (user.emailVerified ? null : user.email);
    if (to === null) return null;
    const holder = await users.findProven(to);
    // Only the owner of the mailbox learns that there is an account already.
    if (holder && holder.id !== user.id) return alreadyYours(to, baseUrl);
    const link = await linkTo('confirm', user.id, to);
    return {
      to,
      subject: 'Confirm your e-mail address',
      lines: [
        'Open this link to confirm that this address is yours:',
        link,
        `It works once, for ${LINK_HOURS.confirm} hours. If you did not ask for it, ignore this mail.`,
      ],
    };
  };

  const reset = async ({ id, email }: UserRecord): Promise<Letter | null> =>
    email === null
      ? null
      : {
          to: email,
          subject: 'Choose a new password',
          lines: [
            'Open this link to choose a new password for STOLAS:',
            await linkTo('reset', id, email),
            `It works once, for ${LINK_HOURS.reset} hour. If you did not ask for it, ignore this mail: nothing has changed.`,
          ],
        };

  const notice = ({ email, emailVerified }: UserRecord, subject: string, what: string) =>
    email === null || !emailVerified
      ? null
      : {
          to: email,
          subject,
          lines: [what, 'If that was not you, choose a new password here:', resetPage(baseUrl)],
        };

  const write: Record<MailKind, (user: UserRecord) => Promise<Letter | null>> = {
    confirm,
    reset,
    'password-changed': async (user) =>
      notice(user, 'Your password was changed', 'The password of your STOLAS account was changed.'),
    'email-changing': async (user) =>
      notice(
        user,
        'Your e-mail address is to change',
        'Another e-mail address was entered for your STOLAS account. Once it is confirmed, it takes the place of this one.',
      ),
  };

  return {
    /** Sends one mail; nothing when the account is gone or there is nothing to write. Rejects when it was not sent. */
    send: async ({ userId, kind }: MailJob): Promise<void> => {
      const user = await users.find(userId);
      const letter = user && (await write[kind](user));
      if (!letter) return;
      const { to, subject, lines } = letter;
      await mailer.send({ to, subject: `STOLAS: ${subject}`, text: `${lines.join('\n\n')}\n` });
    },
  };
}

const resetPage = (baseUrl: string) => `${baseUrl}/reset-password`;

const alreadyYours = (to: string, baseUrl: string): Letter => ({
  to,
  subject: 'You have an account already',
  lines: [
    'Somebody, perhaps you, entered this address at STOLAS. It belongs to an account already, so nothing has changed.',
    'Sign in to your account here:',
    `${baseUrl}/login`,
    'If you have forgotten the password, choose a new one here:',
    resetPage(baseUrl),
  ],
});
