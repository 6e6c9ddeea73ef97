// The real Uppy, in JavaScript because its types need the types of browsers, which the backend does not have.
import AwsS3 from '@uppy/aws-s3';
import Uppy from '@uppy/core';

/**
 * Uploads with only Uppy's option `endpoint` and the size among the file's metadata. `send` replaces Uppy's use of XMLHttpRequest, which
 * Node lacks.
 */
export async function uploadWithUppy({ endpoint, headers, bytes, multipartFrom, send }) {
  const uppy = new Uppy();
  uppy.use(AwsS3, {
    endpoint,
    headers,
    shouldUseMultipart: ({ size }) => size > multipartFrom,
    uploadPartBytes: send,
  });
  const file = { name: 'a.bin', type: 'application/octet-stream', data: new Blob([bytes]) };
  uppy.addFile({ ...file, meta: { size: bytes.length } });
  const { successful, failed } = await uppy.upload();
  return { uploadURL: successful[0]?.uploadURL, errors: failed.map(({ error }) => error) };
}
