import { once } from 'node:events';
import { readdir, readFile, stat } from 'node:fs/promises';
import { type AddressInfo, Socket } from 'node:net';
import { inspect } from 'node:util';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { temporaryFolder } from '../../test/processes.ts';
import { createLog } from '../log.ts';
import { createMailer, type Mailer } from './index.ts';

const MAIL_FROM = 'STOLAS <stolas@example.org>';
const log = createLog({ level: 'silent', name: 'test' });
const LINK = `https://chat.example.org/verify-email#token=${'x'.repeat(60)}`;
const mail = { to: 'ada@example.com', subject: 'Confirm', text: `Open this:\n\n${LINK}\n` };

/** The text of a quoted-printable mail, as a mail program shows it. */
const decoded = (raw: string) =>
  raw
    .replaceAll(/=\r?\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) =>
      String.fromCodePoint(Number.parseInt(hex, 16)),
    );

interface Place {
  mailer: Mailer;
  /** All received mails with their recipients. */
  arrived: () => Promise<{ raw: string; recipients?: string[] }[]>;
}

async function folder(): Promise<Place> {
  const DATA_DIR = await temporaryFolder();
  return {
    mailer: createMailer({ config: { MAIL_FROM, DATA_DIR }, log }),
    arrived: async () => {
      const names = await readdir(`${DATA_DIR}/mail`);
      const texts = names.map((name) => readFile(`${DATA_DIR}/mail/${name}`, 'utf8'));
      return (await Promise.all(texts)).map((raw) => ({ raw }));
    },
  };
}

/** The URL of a mail server with these options. */
async function mailServer(options: SMTPServerOptions): Promise<string> {
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    ...options,
  });
  const listening = server.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return `smtp://127.0.0.1:${(listening.address() as AddressInfo).port}`;
}

async function smtp(): Promise<Place> {
  const arrived: { raw: string; recipients: string[] }[] = [];
  const SMTP_URL = await mailServer({
    onData: (stream, session, done) => {
      let raw = '';
      stream.on('data', (chunk: Buffer) => {
        raw += chunk.toString();
      });
      stream.on('end', () => {
        arrived.push({ raw, recipients: session.envelope.rcptTo.map(({ address }) => address) });
        done();
      });
    },
  });
  return {
    mailer: createMailer({ config: { MAIL_FROM, SMTP_URL, DATA_DIR: '/nowhere' }, log }),
    arrived: async () => arrived,
  };
}

describe.each([
  ['a folder', folder],
  ['a mail server', smtp],
])('%s', (_name, open) => {
  it('gets sender, recipient, subject and the link', async () => {
    const { mailer, arrived } = await open();
    await mailer.send(mail);
    const [letter] = await arrived();
    const raw = decoded(letter?.raw ?? '');
    for (const part of [`From: ${MAIL_FROM}`, 'To: ada@example.com', 'Subject: Confirm', LINK])
      expect(raw).toContain(part);
    mailer.close();
  });

  it('gets one header for a subject with a line break, and one recipient', async () => {
    const { mailer, arrived } = await open();
    await mailer.send({ ...mail, subject: 'Hello\r\nBcc: eve@example.com' });
    const [letter] = await arrived();
    expect(letter?.raw).not.toMatch(/^Bcc:/m);
    expect(letter?.recipients ?? ['ada@example.com']).toEqual(['ada@example.com']);
    mailer.close();
  });

  it.each(['ada@example.com\r\nBcc: eve@example.com', 'ada@example.com, eve@example.com'])(
    'never delivers to the hidden addresses of the recipient %j',
    async (to) => {
      const { mailer, arrived } = await open();
      // Whether refused or sent to an invalid recipient, it must not reach a second mailbox.
      await mailer.send({ ...mail, to }).catch(() => undefined);
      for (const { raw, recipients = [] } of await arrived()) {
        expect(raw).not.toMatch(/^Bcc:/m);
        expect(recipients).not.toContain('eve@example.com');
      }
      mailer.close();
    },
  );
});

it('a mail in a folder has its link on one line', async () => {
  const { mailer, arrived } = await folder();
  await mailer.send(mail);
  expect((await arrived())[0]?.raw).toContain(`\n${LINK}\n`);
});

it('only the owner of the folder can read a mail in it, and the log has its path but none of its content', async () => {
  const lines: string[] = [];
  const log = createLog({ level: 'info', name: 'test' }, { write: (line) => lines.push(line) });
  const DATA_DIR = await temporaryFolder();
  await createMailer({ config: { MAIL_FROM, DATA_DIR }, log }).send(mail);
  const names = await readdir(`${DATA_DIR}/mail`);
  expect(names).toEqual([
    expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d-]+\.\d{3}Z-[\da-f]{8}\.eml$/),
  ]);
  const file = `${DATA_DIR}/mail/${names[0]}`;
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const logged = lines.join('');
  expect(logged).toContain(file);
  for (const secret of [mail.to, mail.subject, LINK]) expect(logged).not.toContain(secret);
});

it('an unreachable mail server is an error, so that the mail is retried', async () => {
  const config = { MAIL_FROM, SMTP_URL: 'smtp://127.0.0.1:9', DATA_DIR: '/nowhere' };
  await expect(createMailer({ config, log }).send(mail)).rejects.toThrow('ECONNREFUSED');
});

it('the mail server has ten minutes to answer a mail that it has received', async () => {
  const waits = vi.spyOn(Socket.prototype, 'setTimeout');
  onTestFinished(() => waits.mockRestore());
  const SMTP_URL = await mailServer({
    onData: (stream, _session, done) => void stream.on('end', done).resume(),
  });
  const config = { MAIL_FROM, SMTP_URL, DATA_DIR: '/nowhere' };
  await createMailer({ config, log }).send(mail);
  const port = Number(new URL(SMTP_URL).port);
  const own = waits.mock.calls.filter(
    ([ms], call) => ms > 0 && (waits.mock.contexts[call] as Socket).remotePort === port,
  );
  // The last one applies to the connection once it is open.
  expect(own.at(-1)).toEqual([600_000]);
});

it('a refusal of the mail server is an error with its reason, without the email address', async () => {
  const SMTP_URL = await mailServer({
    onRcptTo: ({ address }, _session, done) => done(new Error(`<${address}>: mailbox is full`)),
  });
  const config = { MAIL_FROM, SMTP_URL, DATA_DIR: '/nowhere' };
  const error: unknown = await createMailer({ config, log })
    .send(mail)
    .catch((refusal: unknown) => refusal);
  expect(error).toBeInstanceOf(Error);
  // As the queue stores it with a failed job.
  const kept = inspect(error, { showHidden: true, depth: null });
  expect(kept).toContain('mailbox is full');
  expect(kept).not.toContain(mail.to);
});
