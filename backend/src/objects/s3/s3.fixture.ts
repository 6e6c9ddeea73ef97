/** The settings of the tests' embedded store. */
export function embeddedStore() {
  const { S3_ENDPOINT = '', S3_BUCKET = '', S3_ACCESS_KEY_ID = '' } = process.env;
  const { S3_SECRET_ACCESS_KEY = '' } = process.env;
  return {
    endpoint: S3_ENDPOINT,
    region: 'us-east-1',
    bucket: S3_BUCKET,
    accessKeyId: S3_ACCESS_KEY_ID,
    secretAccessKey: S3_SECRET_ACCESS_KEY,
  };
}
