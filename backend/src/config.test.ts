import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ConfigSchema, modelsOf, parseConfig, planFeatures, supportUrl } from './config.ts';
import { UNBUILT_FEATURES } from './contract/plans.ts';

const complete = {
  MONGODB_URI: 'mongodb://localhost/stolas',
  REDIS_URL: 'redis://localhost',
  S3_ENDPOINT: 'http://localhost:9000',
  S3_ACCESS_KEY_ID: 'id',
  S3_SECRET_ACCESS_KEY: 'secret',
  OPENAI_API_KEY: 'key',
  STRIPE_SECRET_KEY: 'sk_test_1',
};

const example = Object.fromEntries(
  readFileSync(new URL('../../.env.example', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split('=', 2) as [string, string]),
);

describe('parseConfig', () => {
  it('sets every default', () => {
    expect(parseConfig(complete)).toMatchObject({
      PORT: 3000,
      NODE_ENV: 'development',
      RATE_LIMITS: true,
    });
  });

  it('lists every wrong and every missing setting at once, with the place of its explanation', () => {
    const { REDIS_URL: _, ...rest } = complete;
    const parse = () =>
      parseConfig({ ...rest, PORT: '70000', RATE_LIMITS: 'yes', MONGODB_URI: 'localhost' });
    expect(parse).toThrow(/REDIS_URL is not set/);
    expect(parse).toThrow(/PORT: /);
    expect(parse).toThrow(/RATE_LIMITS: /);
    expect(parse).toThrow(/MONGODB_URI: must begin with mongodb/);
    expect(parse).toThrow(/\.env\.example/);
  });

  it('treats an empty variable as not set', () => {
    expect(parseConfig({ ...complete, PORT: '' }).PORT).toBe(3000);
    expect(() => parseConfig({ ...complete, OPENAI_API_KEY: '' })).toThrow(
      'OPENAI_API_KEY is not set',
    );
  });

  it.each([
    'PUBLIC_URL',
    'S3_ENDPOINT',
    'S3_PUBLIC_ENDPOINT',
    'S3_STS_ENDPOINT',
    'OPENAI_BASE_URL',
    'EMBEDDING_BASE_URL',
    'GOOGLE_ISSUER',
    'REPLIT_ISSUER',
    'STRIPE_API_URL',
    'SUPPORT_URL',
  ])('accepts only a URL with its scheme for %s', (name) => {
    for (const url of ['http://localhost:11434/v1', 'https://chat.example.org'])
      expect(parseConfig({ ...complete, NODE_ENV: 'test', [name]: url })).toMatchObject({
        [name]: url,
      });
    for (const url of ['localhost:11434/v1', 'chat.example.org', 'ftp://chat.example.org'])
      expect(() => parseConfig({ ...complete, NODE_ENV: 'test', [name]: url })).toThrow(
        `${name}: must be a URL that begins with http:// or https://`,
      );
  });

  it('never repeats a secret in its message', () => {
    expect(() => parseConfig({ ...complete, MONGODB_URI: 'user:hunter2@host' })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('hunter2') }),
    );
  });
});

it('without plans needs no payment provider, even in production', () => {
  const { STRIPE_SECRET_KEY: _, ...rest } = complete;
  expect(() => parseConfig(rest)).toThrow('STRIPE_SECRET_KEY');
  expect(parseConfig({ ...rest, PLANS: 'off' }).PLANS).toBe('off');
  const production = {
    ...rest,
    NODE_ENV: 'production',
    PUBLIC_URL: 'https://chat.example.org',
    SMTP_URL: 'smtp://mail.example.org',
    TRUST_PROXY: '0',
  };
  expect(() => parseConfig(production)).toThrow('STRIPE_PRICE_PRO');
  expect(parseConfig({ ...production, PLANS: 'off' }).NODE_ENV).toBe('production');
});

it('offers the default model first, and each other one once', () => {
  const offered = (PERSONA_MODELS: string) =>
    modelsOf(parseConfig({ ...complete, OPENAI_MODEL: 'a', PERSONA_MODELS }));
  expect(offered('')).toEqual(['a']);
  expect(offered(' b, c,,a,b ')).toEqual(['a', 'b', 'c']);
  expect(() => offered('x'.repeat(101))).toThrow('PERSONA_MODELS');
});

it('recognises German and English text by default, in other languages when they are named', () => {
  expect(parseConfig(complete)).toMatchObject({ OCR: true, OCR_LANGUAGES: ['deu', 'eng'] });
  const languages = (OCR_LANGUAGES: string) => parseConfig({ ...complete, OCR_LANGUAGES });
  expect(languages('eng, fra,chi_sim,eng').OCR_LANGUAGES).toEqual(['eng', 'fra', 'chi_sim']);
  for (const wrong of ['en', 'english', '../eng', 'eng,', 'aaa,bbb,ccc,ddd,eee,fff,ggg'])
    expect(() => languages(wrong)).toThrow('OCR_LANGUAGES: must be 1 to 6 codes');
});

describe('what the landing page says', () => {
  it.each([
    ['LANDING_BADGES', 'gdpr'],
    ['LANDING_BADGES', 'none'],
    ['LANDING_CLAIMS', 'files,team:soon'],
    ['LANDING_CLAIMS', 'files,team'],
    ['LANDING_CLAIMS', 'none'],
    ['PLAN_FEATURES', 'support,api:soon,cards:soon'],
    ['PLAN_FEATURES', 'none'],
  ])('%s may be %s', (name, value) => {
    expect(parseConfig({ ...complete, [name]: value })).toMatchObject({ [name]: value });
  });

  it.each([
    ['LANDING_BADGES', 'iso9001'],
    ['LANDING_BADGES', 'gdpr:soon'],
    ['LANDING_BADGES', 'gdpr,,cdn'],
    ['LANDING_CLAIMS', 'files:later'],
    ...UNBUILT_FEATURES.map((feature) => ['PLAN_FEATURES', `support,${feature}`]),
  ])('%s may not be %s', (name, value) => {
    expect(() => parseConfig({ ...complete, [name]: value })).toThrow(`${name}: must be none, or`);
  });
});

describe('support', () => {
  it.each([
    [{ SUPPORT_EMAIL: 'help@example.org' }, 'mailto:help@example.org'],
    [{ SUPPORT_URL: 'https://example.org/help' }, 'https://example.org/help'],
    [{}, ''],
  ])('of %j is %s, and sold only when there is one', (given, url) => {
    const config = parseConfig({ ...complete, PLAN_FEATURES: 'support,cards', ...given });
    expect(supportUrl(config)).toBe(url);
    expect(planFeatures(config)).toBe(url === '' ? 'cards' : 'support,cards');
  });

  it.each(['support', 'support:soon'])(
    '%s alone without a contact leaves no feature',
    (setting) => {
      expect(planFeatures(parseConfig({ ...complete, PLAN_FEATURES: setting }))).toBe('none');
    },
  );

  it.each(['javascript:alert(1)', 'mailto:x'])('may not be %s', (SUPPORT_URL) => {
    expect(() => parseConfig({ ...complete, SUPPORT_URL })).toThrow('SUPPORT_URL');
  });
});

describe('parseConfig in production', () => {
  const production = {
    ...complete,
    NODE_ENV: 'production',
    PUBLIC_URL: 'https://chat.example.org',
    SMTP_URL: 'smtps://mail.example.org',
    TRUST_PROXY: '1',
    STRIPE_SECRET_KEY: 'sk_live_1',
    STRIPE_WEBHOOK_SECRET: 'whsec_1',
    STRIPE_PRICE_STARTER: 'price_1',
    STRIPE_PRICE_STARTER_YEARLY: 'price_2',
    STRIPE_PRICE_PRO: 'price_3',
    STRIPE_PRICE_PRO_YEARLY: 'price_4',
  };

  it('accepts a complete configuration, also with TRUST_PROXY=0', () => {
    expect(parseConfig(production)).toMatchObject({ TRUST_PROXY: 1, RATE_LIMITS: true });
    expect(parseConfig({ ...production, TRUST_PROXY: '0' }).TRUST_PROXY).toBe(0);
  });

  it.each([
    'PUBLIC_URL',
    'SMTP_URL',
    'TRUST_PROXY',
    'STRIPE_SECRET_KEY',
    'STRIPE_WEBHOOK_SECRET',
    'STRIPE_PRICE_STARTER',
    'STRIPE_PRICE_STARTER_YEARLY',
    'STRIPE_PRICE_PRO',
    'STRIPE_PRICE_PRO_YEARLY',
  ])('refuses to start without %s', (name) => {
    expect(() => parseConfig({ ...production, [name]: '' })).toThrow(`${name} is not set`);
  });

  it.each([
    ['PUBLIC_URL', 'http://chat.example.org'],
    ['GOOGLE_ISSUER', 'http://accounts.example.org'],
    ['REPLIT_ISSUER', 'http://replit.example.org'],
    ['RATE_LIMITS', 'false'],
    ['STRIPE_SECRET_KEY', 'sk_embedded_1'],
  ])('refuses %s=%s', (name, value) => {
    expect(() => parseConfig({ ...production, [name]: value })).toThrow(`${name}: must`);
    const development = { ...complete, NODE_ENV: 'development' };
    expect(() => parseConfig({ ...development, [name]: value })).not.toThrow();
  });
});

describe('a PUBLIC_URL without NODE_ENV', () => {
  const parse = (PUBLIC_URL: string, NODE_ENV = '') =>
    parseConfig({ ...complete, PUBLIC_URL, NODE_ENV });

  it.each([
    'https://chat.example.org',
    'http://192.168.0.9:3000',
    'http://0.0.0.0:3000',
    'http://127.0.0.1.example.org',
    'http://localhost.example.org',
    'http://nas',
    'http://[2001:db8::1]',
  ])('of %s refuses to start and says what to set', (address) => {
    expect(() => parse(address)).toThrow(/PUBLIC_URL: .* NODE_ENV must be set too: to production/);
    expect(parse(address, 'development').NODE_ENV).toBe('development');
  });

  it.each(['http://localhost:3000', 'http://127.0.0.1', 'http://127.9.9.9:1', 'http://[::1]:3000'])(
    'of %s is for development',
    (address) => {
      expect(parse(address).NODE_ENV).toBe('development');
    },
  );
});

describe('.env.example', () => {
  it('names every setting and no other', () => {
    expect(Object.keys(example).toSorted()).toEqual(Object.keys(ConfigSchema.shape).toSorted());
  });

  it('shows the default of each setting', () => {
    const shown = Object.fromEntries(Object.entries(example).filter(([, value]) => value !== ''));
    expect(parseConfig({ ...complete, ...shown })).toEqual(parseConfig(complete));
  });
});
