import * as z from 'zod';
import { defineJob } from '../../jobs/define-job.ts';

/** The mails about accounts: two with a link, the others are notices of changes. */
export const MAIL_KINDS = [
  'confirm',
  'reset',
  'password-changed',
  'email-changing',
  'email-changed',
  'email-replaced',
  'provider-linked',
] as const;
export type MailKind = (typeof MAIL_KINDS)[number];

/** Mails the user of an account. Email address and link are read when the job runs, so that the queue contains no secret. */
export const mailJob = defineJob({
  name: 'mails',
  schema: z.object({ userId: z.string(), kind: z.enum(MAIL_KINDS) }),
  userOf: ({ userId }) => userId,
  // Ten attempts within about three quarters of an hour: a mail server may restart.
  retry: { attempts: 10, firstMs: 5_000 },
});
export type MailJob = z.infer<typeof mailJob.schema>;
