import path from 'node:path';
import type { Config } from '../config.ts';
import type { Log } from '../log.ts';
import { createFolderMailer } from './folder.ts';
import type { Mailer } from './port.ts';
import { createSmtpMailer } from './smtp.ts';

export type { Mailer } from './port.ts';

interface MailerOptions {
  config: Pick<Config, 'SMTP_URL' | 'MAIL_FROM' | 'DATA_DIR'>;
  log: Log;
}

/** The mail server that is configured; without one, a folder. */
export function createMailer({ config, log }: MailerOptions): Mailer {
  const from = config.MAIL_FROM;
  if (config.SMTP_URL !== undefined) return createSmtpMailer({ url: config.SMTP_URL, from });
  return createFolderMailer({ dir: path.join(config.DATA_DIR, 'mail'), from, log });
}
