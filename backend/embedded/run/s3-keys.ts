import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

type Keys = { S3_ACCESS_KEY_ID: string; S3_SECRET_ACCESS_KEY: string };

/** The keys of this data folder's object store: generated once, readable only by their owner. */
export function s3Keys(dataDir: string): Keys {
  const file = path.join(dataDir, 's3-keys.json');
  const known = readKeys(file);
  if (known) return known;
  const keys: Keys = {
    S3_ACCESS_KEY_ID: `STOLAS${randomBytes(7).toString('hex').toUpperCase()}`,
    S3_SECRET_ACCESS_KEY: randomBytes(30).toString('base64url'),
  };
  mkdirSync(dataDir, { recursive: true });
  writeFileSync(file, JSON.stringify(keys), { mode: 0o600 });
  return keys;
}

/** A file that a full disk or a power failure has cut counts as missing: the keys encrypt nothing, so new ones lose no data. */
function readKeys(file: string): Keys | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Keys;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
