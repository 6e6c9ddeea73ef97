import type { ObjectStore } from '../port.ts';
import { connectS3, type S3Options } from './client.ts';
import { objectCalls } from './objects.ts';
import { signingCalls } from './signing.ts';
import { credentialCalls } from './temporary-credentials.ts';
import { uploadCalls } from './uploads.ts';

/** An object store with the S3 API. */
export function createS3ObjectStore(options: S3Options): ObjectStore {
  const connection = connectS3(options);
  return {
    bucket: options.bucket,
    publicOrigin: new URL(options.publicEndpoint ?? options.endpoint).origin,
    ...objectCalls(connection),
    ...uploadCalls(connection),
    ...signingCalls(options),
    ...credentialCalls(options),
  };
}
