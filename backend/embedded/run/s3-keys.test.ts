import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { s3Keys } from './s3-keys.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'stolas-keys-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

it.each(['', '{"S3_ACCESS_KEY_ID":"STOL'])('replaces keys whose file was cut to %j', (text) => {
  writeFileSync(path.join(dir, 's3-keys.json'), text);
  const keys = s3Keys(dir);
  expect(keys).toEqual({
    S3_ACCESS_KEY_ID: expect.any(String),
    S3_SECRET_ACCESS_KEY: expect.any(String),
  });
  expect(s3Keys(dir)).toEqual(keys);
});
