import type { FormStorage, ObjectStore } from '../port.ts';
import { connectS3, type S3Options } from './client.ts';
import { formCalls } from './form-storage.ts';
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
