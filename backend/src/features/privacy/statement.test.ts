import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../config.ts';
import { RECIPIENT_KINDS } from '../../contract/privacy-statement.ts';
import { privacyStatement, publicHost } from './statement.ts';

const SECRETS = { key: 'sk-secret-model', smtp: 'smtp-secret', s3: 's3-secret' };
const BASE = {
  MONGODB_URI: 'mongodb://admin:db-secret@db.internal/stolas',
  REDIS_URL: 'redis://redis.internal',
  S3_ENDPOINT: 'http://10.0.0.7:9000',
  S3_ACCESS_KEY_ID: 's3-id',
  S3_SECRET_ACCESS_KEY: SECRETS.s3,
  OPENAI_API_KEY: SECRETS.key,
  STRIPE_SECRET_KEY: 'sk_embedded_secret',
};
const statementOf = (env: Record<string, string> = {}) =>
  privacyStatement(parseConfig({ ...BASE, ...env }), []);
const placesOf = (env: Record<string, string>) =>
  Object.fromEntries(
    statementOf(env).recipients.map(({ kind, place, host }) => [kind, host ?? place]),
  );

describe('the privacy statement', () => {
  it('says that nothing leaves the machine for the demo model, test payments and mails in a folder', () => {
    const env = { OPENAI_BASE_URL: 'http://127.0.0.1:9/v1', OPENAI_MODEL: 'stolas-demo' };
    expect(statementOf(env)).toMatchObject({ isDemoModel: true, isTestPayment: true });
    expect(placesOf(env)).toEqual({
      model: 'machine',
      payments: 'machine',
      mail: 'machine',
      objects: 'operator',
    });
  });

  it('says nothing of payments without plans', () => {
    expect(placesOf({})).toHaveProperty('payments');
    expect(placesOf({ PLANS: 'off' })).not.toHaveProperty('payments');
  });

  it('names every model that may be called', () => {
    const env = { OPENAI_MODEL: 'owl-1', PERSONA_MODELS: 'owl-2' };
    const [model] = statementOf(env).recipients;
    expect(model).toMatchObject({ kind: 'model', model: 'owl-1, owl-2' });
  });

  it('names every provider that is configured by its public host and model', () => {
    const env = {
      EMBEDDING_MODEL: 'small',
      EMBEDDING_BASE_URL: 'https://embed.example.org/v1?key=embed-secret',
      STRIPE_SECRET_KEY: 'sk_live_secret',
      SMTP_URL: `smtps://user:${SECRETS.smtp}@mail.example.org`,
      GOOGLE_CLIENT_ID: 'g',
      REPLIT_CLIENT_ID: 'r',
      S3_ENDPOINT: 'https://s3.eu-central-1.amazonaws.com',
    };
    const places = placesOf(env);
    expect(places).toEqual({
      model: 'api.openai.com',
      embeddings: 'embed.example.org',
      payments: 'api.stripe.com',
      mail: 'mail.example.org',
      google: 'accounts.google.com',
      replit: 'replit.com',
      objects: 's3.eu-central-1.amazonaws.com',
    });
    expect(Object.keys(places).toSorted()).toEqual([...RECIPIENT_KINDS].toSorted());
    const models = statementOf(env).recipients.flatMap(({ model }) => model ?? []);
    expect(models).toEqual(['gpt-4o-mini', 'small']);
    expect(JSON.stringify(statementOf(env))).not.toContain('secret');
  });

  it('names no server of a private network, whatever runs there', () => {
    const text = JSON.stringify(
      statementOf({ OPENAI_BASE_URL: 'http://vllm.internal:8000/v1', OPENAI_MODEL: 'qwen3' }),
    );
    expect(text).not.toMatch(/internal|10\.0\.0\.7|8000/);
    expect(placesOf({ OPENAI_BASE_URL: 'http://localhost:1/v1' })).toMatchObject({
      model: 'operator',
    });
  });
});

it.each([
  ['https://api.openai.com/v1', 'api.openai.com'],
  ['smtps://user:secret@Mail.Example.ORG:465', 'mail.example.org'],
  ['https://key:secret@eu.example.com./v1?key=secret', 'eu.example.com'],
])('the host of %s is %s, without anything else of the address', (address, host) => {
  expect(publicHost(address)).toBe(host);
});

it.each([
  'http://localhost:1',
  'http://127.0.0.1:9/v1',
  'http://[::1]/',
  'http://10.1.2.3/',
  'http://192.168.0.9/',
  'http://203.0.113.7/',
  'http://2130706433/',
  'http://minio:9000',
  'http://vllm.internal/v1',
  'http://model.svc.cluster.local',
  'http://nas.home.arpa',
  'not an address',
])('%s names no public host', (address) => {
  expect(publicHost(address)).toBeUndefined();
});
