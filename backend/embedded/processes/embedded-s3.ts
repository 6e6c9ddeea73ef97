// The embedded object store as a process of `npm start`: `--dir <folder> --port <n>`; keys and bucket come as
// S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY and S3_BUCKET.
import { parseArgs } from 'node:util';
import { closeHttp, listen } from '../run/listen.ts';
import { StartError } from '../run/start-error.ts';
import { createS3Server } from '../s3/server.ts';
import { Store } from '../s3/store.ts';
import { serve } from './serve.ts';

/** Maximum time of running requests when the store stops. */
const CLOSE_GRACE_MS = 2_000;

/** Pages of any origin may use a signed URL, because its signature protects the object. */
const BROWSERS = {
  origins: ['*'],
  methods: ['GET', 'HEAD', 'PUT'],
  headers: ['*'],
  expose: ['ETag', 'Location'],
  maxAge: 3_600,
};

const { values } = parseArgs({
  options: { dir: { type: 'string' }, port: { type: 'string', default: '0' } },
});
const { S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY, S3_BUCKET } = process.env;

await serve(async () => {
  if (!values.dir) throw new StartError('The embedded object store needs --dir <folder>.');
  if (!S3_ACCESS_KEY_ID || !S3_SECRET_ACCESS_KEY)
    throw new StartError(
      'The embedded object store needs S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY.',
    );
  const store = await Store.open(values.dir);
  if (S3_BUCKET) {
    if (!store.has(S3_BUCKET)) await store.createBucket(S3_BUCKET);
    const bucket = store.bucket(S3_BUCKET);
    if (bucket.cors.length === 0) await bucket.setCors([BROWSERS]);
  }
  const server = createS3Server({
    store,
    credentials: { accessKeyId: S3_ACCESS_KEY_ID, secretAccessKey: S3_SECRET_ACCESS_KEY },
    report: (error) => console.error(error),
  });
  const port = await listen(server, Number(values.port));
  return { port, close: () => closeHttp(server, CLOSE_GRACE_MS) };
});
