import multerS3 from 'multer-s3';
import type { FormStorage } from '../port.ts';
import type { Connection } from './client.ts';

/** Files of forms go to the store in parts while they arrive, so that no whole file is in memory. */
export const formCalls = ({ client, bucket }: Connection): FormStorage => ({
  formStorage: (key) =>
    multerS3({
      s3: client,
      bucket,
      key: (_req, _file, done) => done(null, key),
      // Buckets without access control lists refuse requests that name one.
      acl: (_req, _file, done) => done(null),
    }),
});
