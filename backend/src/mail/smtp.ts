import { createTransport } from 'nodemailer';
import type { Mailer } from './port.ts';

const CONNECT_MS = 10_000;
/** The wait for an answer. A server that has received a mail may take ten minutes (RFC 5321, 4.5.3.2.6); a mail given up before is sent twice. */
const ANSWER_MS = 10 * 60_000;

/** Sends mails through a mail server, given by its URL: `smtps://user:password@host`. */
export function createSmtpMailer({ url, from }: { url: string; from: string }): Mailer {
  const transport = createTransport({
    url,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: ANSWER_MS,
  });
  return {
    send: async ({ to, subject, text }) => {
      // An object is one address; a string would be parsed as a list, and a line break in it as a further recipient.
      const recipient = { name: '', address: to };
      await transport
        .sendMail({ from, to: recipient, subject, text })
        .catch((error: unknown) => Promise.reject(withoutAddresses(error)));
    },
    close: () => transport.close(),
  };
}

/** Mail servers repeat the email address in their answers, and the queue stores the error of a retried job. */
function withoutAddresses(error: unknown): Error {
  const message = error instanceof Error ? error.message : String(error);
  return new Error(message.replaceAll(/(?<!\S)\S+@\S+/g, '[masked]'));
}
