import { readFile } from 'node:fs/promises';
import PostalMime, { type Address, type Email } from 'postal-mime';
import { cutIntoPages } from './cut.ts';
import type { Extract } from './format.ts';
import { htmlToMarkdown } from './html.ts';

/** Mails: the headers that mail programs show, the text, and the names of the attachments. */
export const readMail: Extract = async function* (file) {
  const mail = await PostalMime.parse(await readFile(file.path));
  yield* cutIntoPages(textOfMail(mail));
};

function textOfMail(mail: Email): string {
  const body = mail.text?.trim() || (mail.html ? htmlToMarkdown(mail.html) : '');
  const names = mail.attachments.map(({ filename }) => filename ?? 'unnamed');
  const header = [
    line('From', mail.from && addresses([mail.from])),
    line('To', mail.to && addresses(mail.to)),
    line('Cc', mail.cc && addresses(mail.cc)),
    line('Date', mail.date),
    line('Subject', mail.subject),
  ].join('');
  const attachments = names.length > 0 ? `\n\nAttachments: ${names.join(', ')}` : '';
  return `${header}\n${body.replaceAll(/\r\n?/g, '\n')}${attachments}\n`;
}

const line = (name: string, value: string | undefined) => (value ? `${name}: ${value}\n` : '');

const addresses = (list: Address[]): string =>
  list
    .flatMap((entry) => entry.group ?? [entry])
    .map(({ name, address }) => (name ? `${name} <${address}>` : address))
    .join(', ');
