import { beforeAll, describe, expect, it, vi } from 'vitest';
import {
  FILE_BYTES,
  GUEST,
  openUploads,
  put,
  Uploader,
  type Uploads,
  WITHOUT_PLAN,
} from './uploads.fixture.ts';

let rig: Uploads;
let ada: Uploader;

beforeAll(async () => {
  rig = await openUploads();
  ada = rig.user();
});

describe('a signed address', () => {
  it('takes one file, under a key that the server made', async () => {
    const { body } = await ada.target({ fileName: '../../a.pdf', fileSize: 5 });
    expect(body).toMatchObject({ method: 'PUT', headers: {}, expiresIn: 3_600 });
    expect(body.key).toMatch(new RegExp(`^users/${ada.id}/uploads/[0-9a-f-]{36}/content$`));
    expect((await put(body.uploadURL, 'Hello')).status).toBe(200);
    expect(await rig.stored(body.key)).toBe('Hello');
  });

  it('accepts exactly the declared number of bytes', async () => {
    const { key, uploadURL } = (await ada.target({ fileSize: 10 })).body;
    for (const body of ['', 'x'.repeat(9), 'x'.repeat(11)])
      expect((await put(uploadURL, body)).status).toBe(403);
    expect(await rig.objects.head(key)).toBeNull();
    expect((await put(uploadURL, 'x'.repeat(10))).status).toBe(200);
  });

  it('is refused for a file that is larger than allowed', async () => {
    const { status, body } = await ada.target({ fileName: 'a.mov', fileSize: FILE_BYTES + 1 });
    expect(status).toBe(413);
    expect(body).toMatchObject({ message: 'a.mov exceeds maximum allowed size of 30 MB.' });
    expect((await ada.target({ fileName: 'a.mov', fileSize: FILE_BYTES })).status).toBe(200);
  });

  it.each([
    ['no size', { fileSize: undefined }],
    ['a negative size', { fileSize: -1 }],
    ['half a byte', { fileSize: 0.5 }],
    ['another purpose', { purpose: 'avatar' }],
    ['a name that is no text', { fileName: ['a'] }],
  ])('is refused for %s', async (_what, body) => {
    expect((await ada.target(body)).status).toBe(422);
  });

  it('is signed for Uppy with its type', async () => {
    const query = new URLSearchParams({
      filename: 'ü.png',
      type: 'image/png',
      'metadata[size]': '3',
      'metadata[name]': 'ü.png',
      'metadata[relativePath]': '../../x',
    });
    const { body } = await ada.call<{ url: string; headers: Record<string, string> }>(
      'GET',
      `/s3/params?${query.toString()}`,
    );
    expect(body).toMatchObject({
      method: 'PUT',
      fields: {},
      headers: { 'content-type': 'image/png' },
    });
    const sent = { method: 'PUT', headers: body.headers, body: 'png' };
    expect((await fetch(body.url, sent)).status).toBe(200);
  });

  it('is not signed for an invalid type', async () => {
    for (const type of ['undefined', '', 'text/html; charset=utf-8', 'a/b\r\nx-amz-acl: public']) {
      const query = new URLSearchParams({ filename: 'a', type, 'metadata[size]': '1' });
      expect((await ada.call('GET', `/s3/params?${query.toString()}`)).body).toMatchObject({
        headers: {},
      });
    }
  });

  it("is checked against the size in Uppy's metadata", async () => {
    const size = String(FILE_BYTES + 1);
    const query = new URLSearchParams({ filename: 'a', 'metadata[size]': size });
    expect((await ada.call('GET', `/s3/params?${query.toString()}`)).status).toBe(413);
    const body = { filename: 'a', metadata: { size: FILE_BYTES + 1 } };
    expect((await ada.call('POST', '/s3/multipart', body)).status).toBe(413);
  });

  it('is not given to Uppy without a size', async () => {
    expect((await ada.call('GET', '/s3/params?filename=a')).status).toBe(422);
    for (const metadata of [undefined, null, {}, { size: 'x' }, { size: -1 }]) {
      const body = { filename: 'a', ...(metadata !== undefined && { metadata }) };
      expect((await ada.call('POST', '/s3/multipart', body)).status).toBe(422);
    }
  });
});

describe('temporary credentials', () => {
  it('are not offered without a credential service', async () => {
    const { status, body } = await ada.call('GET', '/s3/sts');
    expect([status, body.code]).toEqual([501, 'not_supported']);
  });

  it('are for uploads of the user, and only for users with a plan', async () => {
    const issue = vi.spyOn(rig.objects, 'temporaryCredentials');
    const credentials = {
      AccessKeyId: 'a',
      SecretAccessKey: 'b',
      SessionToken: 'c',
      Expiration: 'd',
    };
    const issued = { credentials, bucket: 'stolas', region: 'us-east-1' };
    issue.mockResolvedValue(issued);
    expect(await ada.call('GET', '/s3/sts')).toEqual({ status: 200, body: issued });
    expect(issue.mock.calls).toEqual([[`users/${ada.id}/uploads/`]]);
    const { status } = await new Uploader(rig.url, WITHOUT_PLAN).call('GET', '/s3/sts');
    expect([status, issue.mock.calls.length]).toEqual([402, 1]);
    const guest = await new Uploader(rig.url, GUEST).call('GET', '/s3/sts');
    expect([guest.status, issue.mock.calls.length]).toEqual([402, 1]);
  });
});
