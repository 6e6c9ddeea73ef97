import { request } from 'node:http';
import pino from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../../test/processes.ts';
import { type Config, ConfigSchema } from '../../config.ts';
import type { MailedLink } from '../../contract/auth.ts';
import { createApp } from '../../http/index.ts';
import { serve } from '../../http/serve.fixture.ts';
import { createMailer } from '../../mail/index.ts';
import type { AccountsFeature } from './feature.ts';
import type { Limits } from './limits.ts';
import { mailedLinkRoute } from './mailed-link-route.ts';

const PUBLIC_URL = 'http://localhost:3000';
const SINCE = new Date('2026-01-01');
const log = pino({ level: 'silent' });

type Question = { headers?: Record<string, string>; since?: Date; page?: string };

/** A server with a mail to Ada in its folder. */
async function start(settings: Partial<Config> = {}) {
  const { MAIL_FROM } = ConfigSchema.pick({ MAIL_FROM: true }).parse({});
  const config = {
    NODE_ENV: 'development',
    PUBLIC_URL,
    DATA_DIR: await temporaryFolder(),
    ...settings,
  };
  const mailer = createMailer({ config: { MAIL_FROM, DATA_DIR: config.DATA_DIR }, log });
  const write = (to: string, link: string) =>
    mailer.send({ to, subject: 'Confirm', text: `Open this:\n\n${link}\n` });
  await write('ada@example.com', `${PUBLIC_URL}/verify-email#token=first`);
  const router = mailedLinkRoute(
    { config } as AccountsFeature,
    {
      mailedLinks: (_req: unknown, _res: unknown, next: () => void) => next(),
    } as unknown as Limits,
  );
  const app = createApp({
    config: { TRUST_PROXY: 0 },
    log,
    authenticate: async () => null,
    routers: [router],
  });
  const { url, stop } = await serve(app);
  onTestFinished(stop);
  const ask = async (
    email: string,
    { headers = {}, since = SINCE, page = 'verify-email' }: Question = {},
  ) => {
    const query = new URLSearchParams({ email, page, since: since.toISOString() });
    return get(`${url}/api/auth/mailed-link?${query.toString()}`, headers);
  };
  return { ask, write };
}

const get = (url: string, headers: Record<string, string>) =>
  new Promise<{ status: number | undefined; body: MailedLink }>((resolve, reject) => {
    request(url, { headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode, body: JSON.parse(text) as MailedLink }),
      );
    })
      .on('error', reject)
      .end();
  });

it('does not exist in production', async () => {
  const { ask } = await start({ NODE_ENV: 'production' });
  expect((await ask('ada@example.com')).status).toBe(404);
});

it('does not exist with a mail server', async () => {
  const { ask } = await start({ SMTP_URL: 'smtp://localhost' });
  expect((await ask('ada@example.com')).status).toBe(404);
});

it.each([
  ['another host name', { host: 'stolas.example' }],
  ['a proxy', { 'x-forwarded-for': '203.0.113.7' }],
])('answers no request through %s', async (_how, headers) => {
  const { ask } = await start();
  expect((await ask('ada@example.com', { headers })).status).toBe(404);
});

it('answers with the newest link of the page to the address, without its host', async () => {
  const { ask, write } = await start();
  await write('ada@example.com', `${PUBLIC_URL}/verify-email#token=second`);
  await write('ada@example.com', `${PUBLIC_URL}/reset-password#token=third`);
  const pathOf = async (page: string) => (await ask('ada@example.com', { page })).body.path;
  expect(await pathOf('verify-email')).toBe('/verify-email#token=second');
  expect(await pathOf('reset-password')).toBe('/reset-password#token=third');
});

it.each([
  ['to another address', 'ben@example.com', SINCE],
  ['of later than the mail', 'ada@example.com', new Date(Date.now() + 60_000)],
])('answers null to a question for a mail %s', async (_what, email, since) => {
  const { ask } = await start();
  expect(await ask(email, { since })).toEqual({ status: 200, body: { path: null } });
});

it('shows no link to another site', async () => {
  const { ask, write } = await start();
  await write('ben@example.com', 'https://evil.example/verify-email#token=x');
  expect((await ask('ben@example.com')).body).toEqual({ path: null });
});
