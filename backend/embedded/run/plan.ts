import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { DEMO_MODEL } from '../../src/contract/reply-settings.ts';
import { onPath } from '../debian.mjs';
import { findRedis } from '../redis/find.ts';
import { startRedis } from '../redis/server.ts';
import { priceSettings } from '../stripe/simulator/prices.ts';
import { startNodeChild } from './node-child.ts';
import { freePort } from './ports.ts';
import { startProgram } from './program.ts';
import type { Output, Running } from './running.ts';
import { s3Keys } from './s3-keys.ts';

export type Environment = Record<string, string | undefined>;

/** A service that the supervisor can start repeatedly, always on the same port. */
export type Service = { name: string; start(output: Output): Promise<Running> };

/** The services that `npm start` starts itself, and the settings to reach them. */
export type Plan = { services: Service[]; settings: Record<string, string> };

export type Places = {
  /** The folder of the services' durable data. */
  dataDir: string;
  /** The folder of downloaded programs; it may be deleted at any time. */
  cacheDir: string;
  /** The folder of the built processes. */
  scripts: string;
  /** The URL of the product for users. */
  productUrl: string;
  /** The URL of the web process on this machine. */
  webUrl: string;
  /** The name of a replica set that a `mongod` becomes a member of; the caller initiates the set. */
  replicaSet?: string;
};

/** Determines the embedded services from `env`: setting a service's one variable replaces it. */
export async function planServices(env: Environment, places: Places): Promise<Plan> {
  const database = env.MONGODB_URI ? nothing : await planDatabase(places);
  const others = await Promise.all([
    env.STRIPE_SECRET_KEY || env.PLANS === 'off'
      ? nothing
      : planStripe({ ...env, ...database.settings }, places),
    env.REDIS_URL ? nothing : planRedis(places),
    env.S3_ENDPOINT ? nothing : planObjectStore(env, places),
    env.OPENAI_API_KEY || env.OPENAI_BASE_URL ? nothing : planModel(places),
  ]);
  const plans = [database, ...others];
  return {
    services: plans.flatMap((plan) => plan.services),
    settings: Object.assign({}, ...plans.map((plan) => plan.settings)) as Record<string, string>,
  };
}

const nothing: Plan = { services: [], settings: {} };

async function planDatabase({ dataDir, scripts, replicaSet }: Places): Promise<Plan> {
  const port = await freePort();
  const settings = { MONGODB_URI: `mongodb://127.0.0.1:${port}/stolas` };
  const embedded = path.join(dataDir, 'mongo');
  const mongod = onPath('mongod');
  // A data folder that was created with the embedded database continues to use it, because it contains the conversations.
  if (!mongod || existsSync(embedded)) {
    const args = ['--dir', embedded, '--port', String(port)];
    return { settings, services: [nodeService({ name: 'embedded-mongo', scripts, args })] };
  }
  const start = async (output: Output) => {
    const dir = path.join(dataDir, 'mongod');
    mkdirSync(dir, { recursive: true });
    const member = replicaSet === undefined ? [] : ['--replSet', replicaSet];
    return startProgram({
      name: 'mongod',
      command: mongod,
      args: ['--dbpath', dir, '--port', String(port), '--bind_ip', '127.0.0.1', ...member],
      readyWhen: /Waiting for connections/i,
      output,
    });
  };
  return { settings, services: [{ name: 'mongod', start }] };
}

async function planRedis({ dataDir, cacheDir }: Places): Promise<Plan> {
  const port = await freePort();
  const start = async (output: Output) => {
    const program = await findRedis(cacheDir);
    return startRedis({ program, dir: path.join(dataDir, 'redis'), port, output });
  };
  return {
    settings: { REDIS_URL: `redis://127.0.0.1:${port}` },
    services: [{ name: 'redis', start }],
  };
}

async function planObjectStore(env: Environment, { dataDir, scripts }: Places): Promise<Plan> {
  const port = await freePort();
  const keys = s3Keys(dataDir);
  const access = {
    S3_BUCKET: env.S3_BUCKET || 'stolas',
    S3_ACCESS_KEY_ID: env.S3_ACCESS_KEY_ID || keys.S3_ACCESS_KEY_ID,
    S3_SECRET_ACCESS_KEY: env.S3_SECRET_ACCESS_KEY || keys.S3_SECRET_ACCESS_KEY,
  };
  const args = ['--dir', path.join(dataDir, 's3'), '--port', String(port)];
  return {
    settings: { S3_ENDPOINT: `http://127.0.0.1:${port}`, ...access },
    services: [nodeService({ name: 'embedded-s3', scripts, args, env: access })],
  };
}

async function planModel({ scripts }: Places): Promise<Plan> {
  const port = await freePort();
  const access = { OPENAI_API_KEY: `demo-${randomBytes(12).toString('hex')}` };
  const args = ['--port', String(port)];
  return {
    settings: {
      OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1`,
      OPENAI_MODEL: DEMO_MODEL,
      ...access,
    },
    services: [nodeService({ name: 'embedded-model', scripts, args, env: access })],
  };
}

/** It stores its customers in the product's database, so that one backup includes both. */
async function planStripe(env: Environment, places: Places): Promise<Plan> {
  const { scripts, productUrl, webUrl } = places;
  const port = await freePort();
  const settings = {
    // The product recognises test payments by the prefix of this key.
    STRIPE_SECRET_KEY: `sk_embedded_${randomBytes(24).toString('hex')}`,
    STRIPE_WEBHOOK_SECRET: `whsec_${randomBytes(24).toString('hex')}`,
    ...priceSettings(env),
  };
  const addresses = ['--pages-url', productUrl, '--webhook-url', `${webUrl}/api/stripe/webhook`];
  return {
    settings: { STRIPE_API_URL: `http://127.0.0.1:${port}`, ...settings },
    services: [
      nodeService({
        name: 'embedded-stripe',
        scripts,
        args: ['--port', String(port), ...addresses],
        env: { MONGODB_URI: env.MONGODB_URI, ...settings },
      }),
    ],
  };
}

/** A process of this project as a service. */
export function nodeService(options: {
  name: string;
  /** The name of its built file, when it is not `name`. */
  script?: string;
  scripts: string;
  args?: string[];
  env?: Environment;
  nodeOptions?: readonly string[];
}): Service {
  const { scripts, script: file = options.name, ...child } = options;
  const script = path.join(scripts, `${file}.js`);
  return {
    name: child.name,
    start: async (output) => startNodeChild({ ...child, script, output }),
  };
}
