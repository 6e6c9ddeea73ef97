import multerS3 from 'multer-s3';
import type { FormStorage, ObjectStore } from '../port.ts';
import { type Connection, connectS3, type S3Options } from './client.ts';
import { objectCalls } from './objects.ts';
import { signingCalls } from './signing.ts';
import { credentialCalls } from './temporary-credentials.ts';
import { uploadCalls } from './uploads.ts';

/** An object store with the S3 API. */
export function createS3ObjectStore(options: S3Options): ObjectStore & FormStorage {
  const connection = connectS3(options);
  return {
    bucket: options.bucket,
    publicOrigin: new URL(options.publicEndpoint ?? options.endpoint).origin,
    ...objectCalls(connection),
    ...uploadCalls(connection),
    ...formCalls(connection),
    ...signingCalls(options),
    ...credentialCalls(options),
  };
}

/** Files of forms are sent to the store in parts while they arrive, so that no whole file is in memory. */
const formCalls = ({ client, bucket }: Connection): FormStorage => ({
  formStorage: (key) =>
    multerS3({
      s3: client,
      bucket,
      key: (_req, _file, done) => done(null, key),
      // Buckets without access control lists refuse requests that name one.
      acl: (_req, _file, done) => done(null),
    }),
});
