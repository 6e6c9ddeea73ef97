import { expect, it } from 'vitest';
import { ConfigSchema } from '../../config.ts';
import { pageValuesOf } from './page-values.ts';

const valuesWith = (settings: Record<string, string>) =>
  pageValuesOf(
    ConfigSchema.parse({
      MONGODB_URI: 'mongodb://localhost/stolas',
      REDIS_URL: 'redis://localhost',
      S3_ENDPOINT: 'http://localhost',
      S3_ACCESS_KEY_ID: 'key',
      S3_SECRET_ACCESS_KEY: 'secret',
      OPENAI_API_KEY: 'none',
      STRIPE_SECRET_KEY: 'sk_test',
      ...settings,
    }),
  );

it('says that links of mails are shown only without a mail server, and never in production', () => {
  const mails = (settings: Record<string, string>) => valuesWith(settings).MAILS;
  expect(mails({ NODE_ENV: 'production' })).toBe('server');
  expect(mails({ SMTP_URL: 'smtp://localhost' })).toBe('server');
  expect(mails({})).toBe('folder');
});

it('names the configured sign-in providers', () => {
  expect(valuesWith({}).SIGN_IN_PROVIDERS).toBe('none');
  const ids = { GOOGLE_CLIENT_ID: 'g', REPLIT_CLIENT_ID: 'r' };
  expect(valuesWith(ids).SIGN_IN_PROVIDERS).toBe('google,replit');
});

it('says that there are no plans', () => {
  expect(valuesWith({}).PLANS).toBe('on');
  expect(valuesWith({ PLANS: 'off' }).PLANS).toBe('off');
});
