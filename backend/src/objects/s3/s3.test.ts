import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createS3ObjectStore, NotOfferedError, type ObjectStore } from '../index.ts';

const KEYS = { region: 'eu-1', bucket: 'bucket', accessKeyId: 'key', secretAccessKey: 'secret' };

/**
 * A server for one test.
 * @returns its URL
 */
async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

it('signs URLs for the endpoint that browsers reach', async () => {
  const store = createS3ObjectStore({
    ...KEYS,
    endpoint: 'http://10.0.0.1:9000',
    publicEndpoint: 'https://files.stolas.example',
  });
  expect(store.publicOrigin).toBe('https://files.stolas.example');
  const minute = { expiresInSeconds: 60 };
  const part = { key: 'a', uploadId: 'u', partNumber: 7 };
  const signed = [
    await store.signPut('a', { size: 3, ...minute }),
    await store.signGet('a', { type: 'text/plain', disposition: 'inline', ...minute }),
    await store.signPart(part, { size: 3, ...minute }),
  ];
  const headers = signed.map(({ url }) => new URL(url).searchParams.get('X-Amz-SignedHeaders'));
  expect(headers).toEqual(['content-length;host', 'host', 'content-length;host']);
  for (const { url } of signed) {
    expect(url).toMatch(/^https:\/\/files\.stolas\.example\/bucket\/a\?/);
    const { searchParams } = new URL(url);
    expect(searchParams.get('X-Amz-Expires')).toBe('60');
    // Browsers send no checksum, so the store would refuse a signed one.
    expect(url).not.toMatch(/checksum-(?!mode)/i);
  }
});

it('accepts an upload as complete when the store has its object and no longer has the upload', async () => {
  // S3's answer when the answer to an earlier request was lost; the embedded store repeats the earlier one.
  const endpoint = await listen((req, res) => {
    if (req.method === 'HEAD') return void res.writeHead(200, { etag: '"x"' }).end();
    const code = '<Error><Code>NoSuchUpload</Code><Message>Gone.</Message></Error>';
    return void res.writeHead(404, { 'content-type': 'application/xml' }).end(code);
  });
  const store = createS3ObjectStore({ ...KEYS, endpoint });
  const parts = [{ PartNumber: 1, ETag: '"x"' }];
  const again = store.completeUpload({ key: 'a', uploadId: 'u' }, parts);
  await expect(again).resolves.toBeUndefined();
});

it('removes what is under a prefix although an upload there is aborted by somebody else meanwhile', async () => {
  let aborted = false;
  const endpoint = await listen((req, res) => {
    const answer = (status: number, body: string) =>
      void res.writeHead(status, { 'content-type': 'application/xml' }).end(body);
    if (req.method === 'DELETE') {
      aborted = true;
      return answer(404, '<Error><Code>NoSuchUpload</Code><Message>Gone.</Message></Error>');
    }
    if (!req.url?.includes('uploads')) return answer(200, '<ListBucketResult></ListBucketResult>');
    const upload = '<Upload><Key>a/b</Key><UploadId>u</UploadId></Upload>';
    const listed = aborted ? '' : upload;
    return answer(200, `<ListMultipartUploadsResult>${listed}</ListMultipartUploadsResult>`);
  });
  const store = createS3ObjectStore({ ...KEYS, endpoint });
  await expect(store.removeAll('a/')).resolves.toBeUndefined();
  expect(aborted).toBe(true);
});

describe('temporary credentials', () => {
  /** A credential service that answers like AWS. It records the parameters of the last request. */
  async function service(answer: (form: URLSearchParams) => string) {
    const seen = { form: new URLSearchParams(), authorization: '' };
    const reply = async (req: IncomingMessage, res: ServerResponse) => {
      seen.form = new URLSearchParams(await text(req));
      seen.authorization = req.headers.authorization ?? '';
      const body = answer(seen.form);
      const status = body.includes('<Error>') ? 403 : 200;
      res.writeHead(status, { 'content-type': 'text/xml' }).end(body);
    };
    const endpoint = await listen((req, res) => void reply(req, res));
    const sts = { endpoint, roleArn: 'arn:aws:iam::123456789012:role/upload' };
    return { seen, store: createS3ObjectStore({ ...KEYS, endpoint: 'http://10.0.0.1', sts }) };
  }

  const ISSUED = `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
    <AssumeRoleResult>
      <AssumedRoleUser>
        <AssumedRoleId>AROA:stolas-upload</AssumedRoleId>
        <Arn>arn:aws:sts::123456789012:assumed-role/upload/stolas-upload</Arn>
      </AssumedRoleUser>
      <Credentials>
        <AccessKeyId>ASIA1</AccessKeyId>
        <SecretAccessKey>a/b+c</SecretAccessKey>
        <SessionToken>token==</SessionToken>
        <Expiration>2026-11-22T07:00:00Z</Expiration>
      </Credentials>
    </AssumeRoleResult>
    <ResponseMetadata><RequestId>1</RequestId></ResponseMetadata>
  </AssumeRoleResponse>`;

  it('are not offered without a credential service', async () => {
    const store = createS3ObjectStore({ ...KEYS, endpoint: 'http://10.0.0.1' });
    await expect(store.temporaryCredentials('users/1/')).rejects.toThrow(NotOfferedError);
  });

  it('are limited to uploading under the prefix', async () => {
    const { seen, store } = await service(() => ISSUED);
    expect(await store.temporaryCredentials('users/1/uploads/')).toEqual({
      credentials: {
        AccessKeyId: 'ASIA1',
        SecretAccessKey: 'a/b+c',
        SessionToken: 'token==',
        Expiration: '2026-11-22T07:00:00.000Z',
      },
      bucket: 'bucket',
      region: 'eu-1',
    });
    expect(seen.authorization).toContain('AWS4-HMAC-SHA256 Credential=key/');
    expect(seen.form.get('Action')).toBe('AssumeRole');
    expect(seen.form.get('RoleArn')).toBe('arn:aws:iam::123456789012:role/upload');
    expect(JSON.parse(seen.form.get('Policy') ?? '')).toEqual({
      Version: '2012-10-17',
      Statement: [
        {
          Effect: 'Allow',
          Action: ['s3:PutObject', 's3:AbortMultipartUpload', 's3:ListMultipartUploadParts'],
          Resource: 'arn:aws:s3:::bucket/users/1/uploads/*',
        },
      ],
    });
  });

  it.each(['', '/', 'users/1', 'users/*/', 'users/${aws:username}/'])(
    'are refused for the prefix %j',
    async (prefix) => {
      const { store } = await service(() => ISSUED);
      await expect(store.temporaryCredentials(prefix)).rejects.toThrow('prefix');
    },
  );

  it('are an error when the service refuses', async () => {
    const { store } = await service(
      () =>
        '<ErrorResponse><Error><Code>AccessDenied</Code><Message>No</Message></Error></ErrorResponse>',
    );
    await expect(store.temporaryCredentials('users/1/')).rejects.toMatchObject({
      name: 'AccessDenied',
    });
  });
});

describe('a failing store', () => {
  /** An object store that answers with `listener`; the embedded one cannot fail in this way. */
  async function troubled(listener: RequestListener): Promise<ObjectStore> {
    const endpoint = await listen(listener);
    return createS3ObjectStore({ ...KEYS, endpoint, timeoutMs: 100 });
  }

  it('is an error when it never answers', async () => {
    const store = await troubled(() => undefined);
    await expect(store.removeAll('users/1/')).rejects.toThrow('100 ms');
  });

  it('is an error when it stops in the middle of its answer', async () => {
    const store = await troubled((_req, res) => {
      res.writeHead(200, { 'content-type': 'application/xml' }).write('<?xml version="1.0"?>');
    });
    await expect(store.removeAll('users/1/')).rejects.toThrow('100 ms');
  });

  it('is an error with the reason when it does not delete one of the objects', async () => {
    const answers: Record<string, string> = {
      GET: '<ListBucketResult><Contents><Key>users/1/a</Key></Contents></ListBucketResult>',
      POST: '<DeleteResult><Error><Key>users/1/a</Key><Code>AccessDenied</Code></Error></DeleteResult>',
    };
    const store = await troubled((req, res) => {
      res.writeHead(200, { 'content-type': 'application/xml' });
      const uploads = req.url?.includes('uploads');
      res.end(uploads ? '<ListMultipartUploadsResult/>' : answers[req.method ?? '']);
    });
    await expect(store.removeAll('users/1/')).rejects.toThrow('AccessDenied');
  });
});
