import { randomBytes } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createTransport } from 'nodemailer';
import type { Log } from '../log.ts';
import type { Mailer } from './port.ts';

interface FolderMailerOptions {
  dir: string;
  from: string;
  log: Log;
}

/** Writes each mail into a folder and logs where it lies: for machines without a mail server. */
export function createFolderMailer({ dir, from, log }: FolderMailerOptions): Mailer {
  const transport = createTransport({ streamTransport: true, buffer: true, newline: 'unix' });
  return {
    send: async ({ to, subject, text }) => {
      const { message } = await transport.sendMail({ from, to, subject, text });
      if (!Buffer.isBuffer(message)) throw new Error('The mail was not composed in memory.');
      const time = new Date().toISOString().replaceAll(':', '-');
      const file = path.join(dir, `${time}-${randomBytes(4).toString('hex')}.eml`);
      await mkdir(dir, { recursive: true });
      // Renamed when it is whole: who looks into the folder never sees half a mail.
      await writeFile(`${file}.part`, message, { mode: 0o600 });
      await rename(`${file}.part`, file);
      log.info({ file }, 'a mail was written');
    },
    close: () => transport.close(),
  };
}
