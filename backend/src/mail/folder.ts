import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Log } from '../log.ts';
import type { Mail, Mailer } from './port.ts';

interface FolderMailerOptions {
  dir: string;
  from: string;
  log: Log;
  now?: () => Date;
}

/** Writes each mail into a folder and logs its path: for machines without a mail server. */
export function createFolderMailer(options: FolderMailerOptions): Mailer {
  const { dir, from, log, now = () => new Date() } = options;
  return {
    send: async (mail) => {
      const date = now();
      const time = date.toISOString().replaceAll(':', '-');
      const file = path.join(dir, `${time}-${randomBytes(4).toString('hex')}.eml`);
      await mkdir(dir, { recursive: true });
      // Renamed when it is complete, so that readers of the folder never see a partial mail.
      await writeFile(`${file}.part`, compose(mail, { from, date }), { mode: 0o600 });
      await rename(`${file}.part`, file);
      log.info({ file }, 'mail written');
    },
    close: () => undefined,
  };
}

/** The mail in the format of RFC 5322, with each link on one line so that a developer can copy it. */
function compose({ to, subject, text }: Mail, { from, date }: { from: string; date: Date }) {
  const headers = {
    From: from,
    To: to,
    Subject: subject,
    Date: date.toUTCString(),
    'MIME-Version': '1.0',
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Transfer-Encoding': '8bit',
  };
  // A line break in a value would begin another header.
  const lines = Object.entries(headers).map(
    ([name, value]) => `${name}: ${value.replaceAll(/[\r\n]+/g, ' ')}`,
  );
  return `${lines.join('\n')}\n\n${text}`;
}

/** Maximum number of mails that are read to find one, because mails of other tabs and users are in between. */
const MAX_READ = 50;

/** The newest mail to `to` with `text` in a folder of `createFolderMailer`, written at `since` or later; null when there is none. */
export async function readNewestMail(
  dir: string,
  { to, since, text }: { to: string; since: Date; text: string },
): Promise<string | null> {
  // Names begin with the time.
  const first = since.toISOString().replaceAll(':', '-');
  const names = (await readdir(dir).catch(() => []))
    .filter((name) => name.endsWith('.eml') && name >= first)
    .toSorted()
    .toReversed();
  for (const name of names.slice(0, MAX_READ)) {
    const mail = await readFile(path.join(dir, name), 'utf8');
    const [head = ''] = mail.split('\n\n', 1);
    if (head.split('\n').includes(`To: ${to}`) && mail.includes(text)) return mail;
  }
  return null;
}
