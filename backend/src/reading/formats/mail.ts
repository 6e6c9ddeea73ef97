import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type * as Outlook from '@kenjiuno/msgreader';
import iconv from 'iconv-lite';
import PostalMime, { type Address, type Attachment, type Email } from 'postal-mime';
import { UnreadableFileError } from '../port.ts';
import { cutIntoPages } from './cut.ts';
import type { Extract } from './format.ts';
import { hasWordsOf, htmlToMarkdown } from './html.ts';

/** The package is CommonJS, and says otherwise to importers. */
const require = createRequire(import.meta.url);

/** Mails within each other that are read. */
const MAX_MAIL_DEPTH = 10;

/** Mails: the headers that mail programs show, the text, mails that are forwarded in it, and the names of the attachments. */
export const readMail: Extract = async function* (file) {
  yield* cutIntoPages(await textOfMime(await readFile(file.path)));
};

/** A forwarded mail is read as its own: the package writes its date in the time zone of the server. */
async function textOfMime(bytes: Attachment['content'] | Buffer, depth = 1): Promise<string> {
  const mail = await PostalMime.parse(bytes, { forceRfc822Attachments: true });
  const isForwarded = ({ mimeType, disposition }: Attachment) =>
    mimeType === 'message/rfc822' && disposition !== 'attachment' && depth < MAX_MAIL_DEPTH;
  const bodies = [bodyOf(mail.text, mail.html)];
  for (const { content } of mail.attachments.filter(isForwarded))
    bodies.push(`Forwarded message:\n${await textOfMime(content, depth + 1)}`);
  const attachments = mail.attachments.filter((attachment) => !isForwarded(attachment));
  return textOfMail({
    from: mail.from && addresses([mail.from]),
    to: mail.to && addresses(mail.to),
    cc: mail.cc && addresses(mail.cc),
    date: dateOf(mail),
    subject: mail.subject,
    body: bodies.join('\n\n'),
    attachments: attachments.map(({ filename }) => filename ?? 'unnamed'),
  });
}

/** Mails as Outlook saves them. */
export const readOutlookMail: Extract = async function* (file) {
  const { default: MsgReader } = require('@kenjiuno/msgreader') as typeof Outlook;
  const bytes = await readFile(file.path);
  const mail = new MsgReader(
    new DataView(bytes.buffer, bytes.byteOffset, bytes.length),
  ).getFileData();
  if (mail.error) throw new UnreadableFileError('damaged', mail.error);
  const sent = dateOf(await PostalMime.parse(mail.headers ?? ''));
  const named = (kind: string) =>
    (mail.recipients ?? [])
      .filter(({ recipType }) => recipType === kind)
      .map(({ name, smtpAddress, email }) => ({ name: name ?? '', address: smtpAddress ?? email }));
  const from = { name: mail.senderName ?? '', address: mail.senderSmtpAddress ?? mail.senderEmail };
  yield* cutIntoPages(
    textOfMail({
      from: addresses([from]),
      to: addresses(named('to')),
      cc: addresses(named('cc')),
      date: sent ?? mail.messageDeliveryTime ?? mail.clientSubmitTime,
      subject: mail.subject,
      body: bodyOf(mail.body, htmlOf(mail)),
      attachments: (mail.attachments ?? []).map(
        ({ fileName, name }) => fileName ?? name ?? 'unnamed',
      ),
    }),
  );
};

/** The date as the header has it, in the sender's time zone. */
const dateOf = ({ headers }: Email): string | undefined =>
  headers.find(({ key }) => key === 'date')?.value;

/** The plain text, unless it lacks words of the HTML: it may only say that there is some. */
function bodyOf(text = '', html = ''): string {
  const plain = text.trim();
  try {
    const markdown = htmlToMarkdown(html);
    return plain && hasWordsOf(plain, markdown) ? plain : markdown;
  } catch (error) {
    if (plain) return plain;
    throw error;
  }
}

function htmlOf({ bodyHtml, html, internetCodepage }: Outlook.FieldsData): string {
  if (bodyHtml) return bodyHtml;
  const encoding = internetCodepage === UTF8_CODE_PAGE ? 'utf-8' : `cp${internetCodepage}`;
  return iconv.decode(Buffer.from(html ?? []), iconv.encodingExists(encoding) ? encoding : 'utf-8');
}

interface MailText {
  from: string | undefined;
  to: string | undefined;
  cc: string | undefined;
  date: string | undefined;
  subject: string | undefined;
  body: string;
  attachments: string[];
}

function textOfMail({ body, attachments: names, ...headers }: MailText): string {
  const header = [
    line('From', headers.from),
    line('To', headers.to),
    line('Cc', headers.cc),
    line('Date', headers.date),
    line('Subject', headers.subject),
  ].join('');
  const attachments = names.length > 0 ? `\n\nAttachments: ${names.join(', ')}` : '';
  return withWindowsSigns(`${header}\n${body.replaceAll(/\r\n?/g, '\n')}${attachments}\n`);
}

/** Node.js decodes Windows-1252 as Latin-1, which has control characters in the place of signs such as '€' and '–'. */
const withWindowsSigns = (text: string): string =>
  text.replaceAll(/[\u0080-\u009f]+/g, (signs) =>
    iconv.decode(Buffer.from(signs, 'latin1'), 'windows-1252'),
  );

const line = (name: string, value: string | undefined) => (value ? `${name}: ${value}\n` : '');

const UTF8_CODE_PAGE = 65_001;

const addresses = (list: Pick<Address, 'name' | 'address' | 'group'>[]): string =>
  list
    .flatMap((entry) => entry.group ?? [entry])
    .map(({ name, address }) =>
      name && address && name !== address ? `${name} <${address}>` : (address ?? name),
    )
    .join(', ');
