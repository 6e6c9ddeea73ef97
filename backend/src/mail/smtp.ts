import { createTransport } from 'nodemailer';
import type { Mailer } from './port.ts';

const TIMEOUT_MS = 10_000;

/** Sends mails through a mail server, given by its URL: `smtps://user:password@host`. */
export function createSmtpMailer({ url, from }: { url: string; from: string }): Mailer {
  const transport = createTransport({
    url,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
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
