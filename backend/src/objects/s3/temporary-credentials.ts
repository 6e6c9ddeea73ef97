import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import { NotOfferedError, type ObjectStore } from '../port.ts';
import { requestLimits, type S3Options } from './client.ts';

const LIFETIME_SECONDS = 3_600;

/** The permissions that a browser needs to upload, without reading, listing or removing objects. */
const UPLOADING = ['s3:PutObject', 's3:AbortMultipartUpload', 's3:ListMultipartUploadParts'];

/** Temporary credentials by AssumeRole; an inline policy limits the role to one prefix. */
export function credentialCalls(options: S3Options): Pick<ObjectStore, 'temporaryCredentials'> {
  const { sts, bucket, region, accessKeyId, secretAccessKey, timeoutMs = 10_000 } = options;
  if (!sts)
    return {
      temporaryCredentials: () =>
        Promise.reject(new NotOfferedError('The store issues no temporary credentials.')),
    };
  const client = new STSClient({
    endpoint: sts.endpoint,
    region,
    credentials: { accessKeyId, secretAccessKey },
    requestHandler: requestLimits(timeoutMs),
  });
  return {
    temporaryCredentials: async (prefix) => {
      if (!/^[\w/-]+\/$/.test(prefix))
        throw new Error(`'${prefix}' is not the prefix of one owner.`);
      const Resource = `arn:aws:s3:::${bucket}/${prefix}*`;
      const Statement = [{ Effect: 'Allow', Action: UPLOADING, Resource }];
      const command = new AssumeRoleCommand({
        RoleArn: sts.roleArn,
        RoleSessionName: 'stolas-upload',
        DurationSeconds: LIFETIME_SECONDS,
        Policy: JSON.stringify({ Version: '2012-10-17', Statement }),
      });
      const { Credentials } = await client.send(command);
      const { AccessKeyId, SecretAccessKey, SessionToken, Expiration } = Credentials ?? {};
      if (!AccessKeyId || !SecretAccessKey || !SessionToken || !Expiration)
        throw new Error('The answer of the credential service is not complete.');
      return {
        credentials: {
          AccessKeyId,
          SecretAccessKey,
          SessionToken,
          Expiration: Expiration.toISOString(),
        },
        bucket,
        region,
      };
    },
  };
}
