import path from 'node:path';
import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import { createFolderMailer } from './folder.ts';
import type { Mailer } from './port.ts';
import { createSmtpMailer } from './smtp.ts';

export { readNewestMail } from './folder.ts';
export type { Mailer } from './port.ts';

export const mailFolder = ({ DATA_DIR }: Pick<Config, 'DATA_DIR'>): string =>
  path.join(DATA_DIR, 'mail');

interface MailerOptions {
  config: Pick<Config, 'SMTP_URL' | 'MAIL_FROM' | 'DATA_DIR'>;
  log: Log;
}

/** The configured mail server; without one, a folder. */
export function createMailer({ config, log }: MailerOptions): Mailer {
  const from = config.MAIL_FROM;
  if (config.SMTP_URL !== undefined) return createSmtpMailer({ url: config.SMTP_URL, from });
  return createFolderMailer({ dir: mailFolder(config), from, log });
}
