import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'vitest';

/** The mails in the data folder of a product without a mail server. */
export function mailbox(dataDir: string) {
  const folder = path.join(dataDir, 'mail');
  const all = async () => {
    const names = await readdir(folder).catch(() => []);
    const mails = names.filter((name) => name.endsWith('.eml')).toSorted();
    return Promise.all(mails.map((name) => readFile(path.join(folder, name), 'utf8')));
  };
  const to = async (address: string) =>
    (await all()).filter((mail) => mail.includes(`To: ${address}`));

  return {
    all,
    to,
    /** Waits for a mail to `address` whose subject contains `subject`; returns the newest one. */
    mail: async (address: string, subject: string): Promise<string> => {
      const found = async () =>
        (await to(address)).findLast((mail) => mail.includes(subject)) ?? '';
      await expect.poll(found).not.toBe('');
      return found();
    },
  };
}

/** The secret in a mailed link. */
export const tokenIn = (mail: string): string => /#token=([\w-]+)/.exec(mail)?.[1] ?? '';
