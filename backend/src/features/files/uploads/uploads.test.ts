import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { UploadTarget } from '../../../contract/files.ts';
import { UploadRefusedError } from '../../../objects/index.ts';
import { MAX_OPEN_UPLOADS } from './grants.ts';
import {
  FILE_BYTES,
  openUploads,
  pathOf,
  Uploader,
  type Uploads,
  WITHOUT_PLAN,
} from './uploads.fixture.ts';

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

let rig: Uploads;
let ada: Uploader;
let bob: Uploader;

beforeAll(async () => {
  rig = await openUploads();
  ada = rig.user();
  bob = rig.user();
});

const target = (user: Uploader, body?: object) =>
  user.call<UploadTarget>('POST', '/objects/upload', body);
const put = (url: string, body: string) => fetch(url, { method: 'PUT', body });
const stored = async (key: string) => text(await rig.objects.read(key));

describe('a signed address', () => {
  it('takes one file, under a key that the server made', async () => {
    const { body } = await target(ada, { fileName: '../../a.pdf', fileSize: 5 });
    expect(body).toMatchObject({ method: 'PUT', headers: {}, expiresIn: 3_600 });
    expect(body.key).toMatch(new RegExp(`^users/${ada.id}/uploads/[0-9a-f-]{36}/content$`));
    expect((await put(body.uploadURL, 'Hello')).status).toBe(200);
    expect(await stored(body.key)).toBe('Hello');
  });

  it('is given without a body too', async () => {
    expect((await target(ada)).status).toBe(200);
  });

  it('is refused for a file that is larger than allowed', async () => {
    const { status, body } = await target(ada, { fileName: 'a.mov', fileSize: FILE_BYTES + 1 });
    expect(status).toBe(413);
    expect(body).toMatchObject({ message: 'a.mov exceeds maximum allowed size of 30 MB.' });
    expect((await target(ada, { fileName: 'a.mov', fileSize: FILE_BYTES })).status).toBe(200);
  });

  it.each([
    ['a negative size', { fileSize: -1 }],
    ['half a byte', { fileSize: 0.5 }],
    ['another purpose', { purpose: 'avatar' }],
    ['a name that is no text', { fileName: ['a'] }],
  ])('is refused for %s', async (_what, body) => {
    expect((await target(ada, body)).status).toBe(422);
  });

  it('is signed for Uppy with the type that it will send', async () => {
    const query = new URLSearchParams({
      filename: 'ü.png',
      type: 'image/png',
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

  it('is not signed for a type that is none', async () => {
    for (const type of ['undefined', '', 'text/html; charset=utf-8', 'a/b\r\nx-amz-acl: public']) {
      const query = new URLSearchParams({ filename: 'a', type });
      expect((await ada.call('GET', `/s3/params?${query.toString()}`)).body).toMatchObject({
        headers: {},
      });
    }
  });

  it('is checked against the size that Uppy says', async () => {
    const size = String(FILE_BYTES + 1);
    const query = new URLSearchParams({ filename: 'a', 'metadata[size]': size });
    expect((await ada.call('GET', `/s3/params?${query.toString()}`)).status).toBe(413);
    const body = { filename: 'a', metadata: { size: FILE_BYTES + 1 } };
    expect((await ada.call('POST', '/s3/multipart', body)).status).toBe(413);
  });
});

describe('an upload in parts', () => {
  const sign = (user: Uploader, upload: { key: string; uploadId: string }, part: number | string) =>
    user.call<{ url: string }>('GET', pathOf(upload, `/${part}`));
  const sendPart = async (upload: { key: string; uploadId: string }, body: string) => {
    const { url } = (await sign(ada, upload, 1)).body;
    const { headers } = await put(url, body);
    return [{ PartNumber: 1, ETag: headers.get('etag') ?? '' }];
  };

  it('is begun, listed, completed, and completed again', async () => {
    const upload = await ada.begin();
    expect(upload.bucket).toBe(rig.objects.bucket);
    const parts = await sendPart(upload, 'Hello');
    expect((await ada.call('GET', pathOf(upload))).body).toEqual([{ ...parts[0], Size: 5 }]);
    for (let n = 0; n < 2; n++) {
      const { status, body } = await ada.call('POST', pathOf(upload, '/complete'), { parts });
      expect(status).toBe(200);
      const { publicOrigin, bucket } = rig.objects;
      expect(body).toMatchObject({ location: `${publicOrigin}/${bucket}/${upload.key}` });
    }
    expect(await stored(upload.key)).toBe('Hello');
  });

  it('is not completed with parts that never came', async () => {
    const parts = [{ PartNumber: 1, ETag: '"0123456789abcdef0123456789abcdef"' }];
    const { status, body } = await ada.call('POST', pathOf(await ada.begin(), '/complete'), {
      parts,
    });
    expect([status, body.code]).toEqual([409, 'upload_incomplete']);
  });

  it('is gone once aborted', async () => {
    const upload = await ada.begin();
    const parts = await sendPart(upload, 'Hello');
    const { status, body } = await ada.call('DELETE', pathOf(upload));
    expect([status, body]).toEqual([200, {}]);
    await expect(rig.objects.listParts(upload)).rejects.toThrow(UploadRefusedError);
    for (const [method, path, sent] of [
      ['GET', pathOf(upload)],
      ['GET', pathOf(upload, '/1')],
      ['POST', pathOf(upload, '/complete'), { parts }],
      ['DELETE', pathOf(upload)],
    ] as const)
      expect((await ada.call(method, path, sent)).status).toBe(404);
    expect(await rig.objects.head(upload.key)).toBeNull();
  });

  it.each([0, 10_001, -1, 1.5, '1e3', 'x', '%00'])('has no part %s', async (part) => {
    expect((await sign(ada, await ada.begin(), part)).status).toBe(422);
  });

  it('has parts up to 10,000', async () => {
    expect((await sign(ada, await ada.begin(), 10_000)).status).toBe(200);
  });

  describe('of somebody else', () => {
    const parts = [{ PartNumber: 1, ETag: '"x"' }];
    const CALLS = [
      ['listing', 'GET', '', undefined],
      ['signing a part', 'GET', '/1', undefined],
      ['completing', 'POST', '/complete', { parts }],
      ['aborting', 'DELETE', '', undefined],
    ] as const;

    it.each(CALLS)('does not exist for %s', async (_what, method, rest, body) => {
      const upload = await bob.begin();
      const own = await ada.begin();
      const whole = (await target(ada)).body;
      const foreign = [
        upload,
        { ...upload, uploadId: own.uploadId },
        // The own grant with another upload's id, or with none.
        { ...own, uploadId: upload.uploadId },
        { ...own, uploadId: 'undefined' },
        { key: whole.key, uploadId: own.uploadId },
        { key: whole.key, uploadId: 'undefined' },
        // Keys that only look like the user's own.
        { ...upload, key: upload.key.replace(bob.id, ada.id) },
        { ...own, key: `users/${ada.id}/uploads/../../${bob.id}/uploads/x/content` },
        { ...own, key: `users/${ada.id}/files/${bob.id}/content` },
        { ...own, key: `/${own.key}` },
        { ...own, key: own.key.toUpperCase() },
        { ...own, key: '..' },
        { ...own, key: `${own.key}\0` },
      ];
      for (const one of foreign) {
        const answer = await ada.call(method, pathOf(one, rest), body);
        expect([one, answer.status]).toEqual([one, 404]);
      }
      expect((await bob.call('GET', pathOf(upload))).status).toBe(200);
      expect((await ada.call('GET', pathOf(own))).status).toBe(200);
    });

    it.each(CALLS)('needs a session and one key for %s', async (_what, method, rest, body) => {
      const upload = await ada.begin();
      const init = {
        method,
        ...(body && { body: JSON.stringify(body) }),
        headers: { 'content-type': 'application/json' },
      };
      const anonymous = await fetch(`${rig.url}/api${pathOf(upload, rest)}`, init);
      expect(anonymous.status).toBe(401);
      const [path] = pathOf(upload, rest).split('?');
      expect((await ada.call(method, path ?? '', body)).status).toBe(422);
      const twice = `${pathOf(upload, rest)}&key=x`;
      expect((await ada.call(method, twice, body)).status).toBe(422);
    });
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
  });
});

describe('grants', () => {
  it('end a day after they were given', async () => {
    const user = rig.user();
    const upload = await user.begin();
    rig.wait(DAY_MS - 1);
    expect((await user.call('GET', pathOf(upload))).status).toBe(200);
    rig.wait(1);
    expect((await user.call('GET', pathOf(upload))).status).toBe(404);
  });

  it('are limited per user while they are open', async () => {
    const user = rig.user();
    const answers = await Promise.all(
      Array.from({ length: MAX_OPEN_UPLOADS + 10 }, () => target(user)),
    );
    const given = answers.filter(({ status }) => status === 200);
    expect(given.length).toBeLessThanOrEqual(MAX_OPEN_UPLOADS);
    expect(answers.find(({ status }) => status !== 200)).toMatchObject({ status: 429 });
    const fill = MAX_OPEN_UPLOADS - given.length;
    for (let n = 0; n < fill; n++) given.push(await target(user));
    expect(given.every(({ status }) => status === 200)).toBe(true);
    const one = { ownerId: user.id, key: given[0]?.body.key ?? '' };

    expect((await target(user)).status).toBe(429);
    expect((await target(rig.user())).status).toBe(200);
    await rig.uploads.attach({ ...one, fileId: 'a'.repeat(24) });
    expect((await target(user)).status).toBe(200);
    expect((await target(user)).status).toBe(429);
    rig.wait(HOUR_MS);
    expect((await target(user)).status).toBe(200);
  });

  it('become one file, however often they are attached', async () => {
    const { key } = (await target(ada)).body;
    const grant = { ownerId: ada.id, key };
    const [fileId, other] = ['a'.repeat(24), 'b'.repeat(24)];
    expect(await rig.uploads.attach({ ...grant, ownerId: bob.id, fileId })).toBe(false);
    expect((await rig.uploads.find(grant))?.fileId).toBeUndefined();
    expect(await rig.uploads.attach({ ...grant, fileId })).toBe(true);
    expect(await rig.uploads.attach({ ...grant, fileId })).toBe(true);
    expect(await rig.uploads.attach({ ...grant, fileId: other })).toBe(false);
    expect((await rig.uploads.find(grant))?.fileId).toBe(fileId);
  });

  it('are begun and ended by their owner only, and ended once', async () => {
    const { key } = (await target(ada)).body;
    const [own, foreign] = [
      { ownerId: ada.id, key },
      { ownerId: bob.id, key },
    ];
    await rig.uploads.begin(foreign, 'of-bob');
    const at = (ms: number) => ({ sweepAt: new Date(rig.deps.now().getTime() + ms) });
    await rig.uploads.end(foreign, at(0));
    expect((await rig.uploads.find(own))?.uploadId).toBeUndefined();
    await rig.uploads.end(own, at(1));
    await rig.uploads.end(own, at(DAY_MS));
    expect((await rig.model.findOne({ key }).lean())?.sweepAt).toEqual(at(1).sweepAt);
  });

  it('are one for each key', async () => {
    const { key } = (await target(ada)).body;
    const grant = await rig.uploads.find({ ownerId: ada.id, key });
    await expect(rig.uploads.insert({ ...grant, ownerId: bob.id } as never)).rejects.toThrow(
      'E11000',
    );
  });

  it('of a file are kept when its upload is aborted', async () => {
    const upload = await ada.begin();
    const grant = { ownerId: ada.id, key: upload.key };
    await rig.uploads.attach({ ...grant, fileId: 'a'.repeat(24) });
    expect((await ada.call('DELETE', pathOf(upload))).status).toBe(200);
    expect(await rig.uploads.find(grant)).not.toBeNull();
  });
});

describe('the sweep', () => {
  const exists = async (key: string) => (await rig.model.findOne({ key })) !== null;
  /** Grants of other tests are none of its business. */
  const removeGrants = () => rig.model.deleteMany({});

  it('removes objects, unfinished parts and grants a day after, and nothing of younger ones', async () => {
    await removeGrants();
    const { key, uploadURL } = (await target(ada)).body;
    await put(uploadURL, 'stray');
    const parts = await ada.begin();
    // Begun by a process that died before it noted the id.
    const { key: unnoted } = (await target(ada)).body;
    const uploadId = await rig.objects.createUpload(unnoted, { type: 'text/plain' });
    rig.wait(DAY_MS + 2 * HOUR_MS);
    const young = (await target(bob)).body;
    await rig.objects.write(young.key, Buffer.from('young'), { type: 'text/plain' });
    await rig.sweep();

    expect(await rig.objects.head(key)).toBeNull();
    for (const upload of [parts, { key: unnoted, uploadId }])
      await expect(rig.objects.listParts(upload)).rejects.toThrow(UploadRefusedError);
    expect(await Promise.all([key, parts.key, unnoted].map(exists))).toEqual([false, false, false]);
    expect(await stored(young.key)).toBe('young');
    expect(await exists(young.key)).toBe(true);
  });

  it('keeps what an attached upload needs for a day, so that attaching again answers the same', async () => {
    await removeGrants();
    const { key } = (await target(ada)).body;
    const grant = { ownerId: ada.id, key };
    await rig.uploads.attach({ ...grant, fileId: 'a'.repeat(24) });
    rig.wait(DAY_MS - 1);
    await rig.sweep();
    expect((await rig.uploads.find(grant))?.fileId).toBe('a'.repeat(24));
    rig.wait(2 * HOUR_MS);
    await rig.sweep();
    expect(await exists(key)).toBe(false);
  });

  it('removes an aborted upload only once its signed addresses have expired', async () => {
    await removeGrants();
    const upload = await ada.begin();
    await ada.call('DELETE', pathOf(upload));
    rig.wait(HOUR_MS);
    await rig.sweep();
    expect(await exists(upload.key)).toBe(true);
    rig.wait(HOUR_MS);
    await rig.sweep();
    expect(await exists(upload.key)).toBe(false);
  });

  it('is repeated when it was cut off between object and grant', async () => {
    await removeGrants();
    const { key } = (await target(ada)).body;
    await rig.objects.write(key, Buffer.from('stray'), { type: 'text/plain' });
    rig.wait(2 * DAY_MS);
    const removeAll = () => Promise.reject(new Error('The store does not answer.'));
    await expect(rig.sweep({ removeAll })).rejects.toThrow('does not answer');
    await rig.sweep();
    expect(await stored(key)).toBe('stray');
    rig.wait(HOUR_MS);
    await rig.sweep();
    expect([await rig.objects.head(key), await exists(key)]).toEqual([null, false]);
  });

  it('does each grant in one worker, however many sweep', async () => {
    await removeGrants();
    for (let n = 0; n < 5; n++) await target(ada);
    rig.wait(2 * DAY_MS);
    const swept: string[] = [];
    const removeAll = async (prefix: string) => {
      swept.push(prefix);
    };
    await Promise.all([1, 2, 3].map(() => rig.sweep({ removeAll })));
    expect(swept).toHaveLength(5);
    expect(new Set(swept).size).toBe(5);
  });

  it('leaves a grant to the worker that has leased it since', async () => {
    await removeGrants();
    const { key } = (await target(ada)).body;
    rig.wait(2 * DAY_MS);
    const removeAll = async () => {
      await rig.model.updateOne(
        { key },
        { $set: { sweepAt: new Date(rig.deps.now().getTime() + DAY_MS) } },
      );
    };
    await rig.sweep({ removeAll });
    expect(await exists(key)).toBe(true);
  });

  it('removes what an erased user still uploads with an old address', async () => {
    await removeGrants();
    const user = rig.user();
    const { key, uploadURL } = (await target(user, { fileName: 'secret.pdf' })).body;
    const other = (await target(ada, { fileName: 'kept.pdf' })).body;
    await rig.uploads.endAll(user.id);
    expect(await rig.uploads.find({ ownerId: user.id, key })).toBeNull();
    expect(JSON.stringify(await rig.model.find({ ownerId: user.id }).lean())).not.toContain(
      'secret',
    );
    expect(await rig.uploads.find({ ownerId: ada.id, key: other.key })).toMatchObject({
      name: 'kept.pdf',
    });
    await put(uploadURL, 'after the erasure');
    rig.wait(2 * DAY_MS);
    await rig.sweep();
    expect([await rig.objects.head(key), await exists(key)]).toEqual([null, false]);
  });
});

describe('a form', () => {
  const formOf = (file: string | Uint8Array<ArrayBuffer>, name: string = 'ä "1".txt') => {
    const form = new FormData();
    form.set('file', new Blob([file], { type: 'text/plain' }), name);
    return form;
  };
  const lastAttached = () => rig.attached.at(-1);

  it('is stored and attached under its name', async () => {
    const { status, body } = await ada.call('POST', '/files', formOf('Hello'));
    expect(status).toBe(200);
    expect(lastAttached()).toEqual({
      ownerId: ada.id,
      uploadURL: body.key,
      fileName: 'ä "1".txt',
      fileType: 'text/plain',
      purpose: 'library',
      size: 5,
    });
    expect(await stored(String(body.key))).toBe('Hello');
  });

  it('has its purpose from the query, else from its fields, which may name the file too', async () => {
    const form = formOf('Hello');
    form.set('purpose', 'chat');
    form.set('name', 'kept.txt');
    await ada.call('POST', '/files', form);
    expect(lastAttached()).toMatchObject({ purpose: 'chat', fileName: 'kept.txt' });
    await ada.call('POST', '/files?purpose=chat', formOf('Hello'));
    expect(lastAttached()).toMatchObject({ purpose: 'chat' });
    expect((await ada.call('POST', '/files?purpose=x', formOf('Hello'))).status).toBe(422);
  });

  it('of many megabytes goes through in parts', async () => {
    const bytes = new Uint8Array(12 * 1024 * 1024).fill(7);
    const { status, body } = await ada.call('POST', '/files', formOf(bytes));
    expect(status).toBe(200);
    expect(lastAttached()).toMatchObject({ size: bytes.length });
    expect((await rig.objects.head(String(body.key)))?.size).toBe(bytes.length);
  });

  /** A form whose length is not declared, so that the limit is met only while it arrives. */
  const stream = (user: Uploader, boundary: string = randomUUID()) => {
    const outgoing = request(`${rig.url}/api/files`, {
      method: 'POST',
      headers: { ...user.headers, 'content-type': `multipart/form-data; boundary=${boundary}` },
    });
    outgoing.write(
      `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n\r\n`,
    );
    return { outgoing, end: () => outgoing.end(`\r\n--${boundary}--\r\n`) };
  };

  it('with a file that is too large is refused, and nothing stays', async () => {
    const user = rig.user();
    const declared = await user.call('POST', '/files', formOf(new Uint8Array(FILE_BYTES + 20_000)));
    expect([declared.status, declared.body.code]).toEqual([413, 'too_large']);
    const { outgoing, end } = stream(user);
    outgoing.write(Buffer.alloc(FILE_BYTES + 1));
    end();
    const [answer] = await once(outgoing, 'response');
    expect(answer.statusCode).toBe(413);
    expect(await text(answer)).toContain('a.bin exceeds maximum allowed size of 30 MB.');
    const [grant, ...others] = await rig.model.find({ ownerId: user.id }).lean();
    expect(others).toEqual([]);
    expect(await rig.objects.head(grant?.key ?? '')).toBeNull();
    expect(await rig.uploads.find({ ownerId: user.id, key: grant?.key ?? '' })).toBeNull();
  });

  it('that is cut off leaves nothing that is not swept', async () => {
    await rig.model.deleteMany({});
    const user = rig.user();
    const { outgoing } = stream(user);
    outgoing.on('error', () => undefined);
    outgoing.write(Buffer.alloc(7 * 1024 * 1024));
    await expect.poll(() => rig.model.countDocuments({ ownerId: user.id })).toBe(1);
    outgoing.destroy();
    const ended = { ownerId: user.id, expiresAt: { $lte: rig.deps.now() } };
    await expect.poll(() => rig.model.countDocuments(ended)).toBe(1);
    const { key = '' } = (await rig.model.findOne(ended).lean()) ?? {};
    rig.wait(2 * HOUR_MS);
    await rig.sweep();
    expect(await rig.objects.head(key)).toBeNull();
    expect(await rig.model.countDocuments({ ownerId: user.id })).toBe(0);
    expect(rig.attached).not.toContainEqual(expect.objectContaining({ ownerId: user.id }));
  });

  it('without a file, with two, or that is no form is refused', async () => {
    const two = formOf('one');
    two.append('file', new Blob(['two']), 'two.txt');
    const none = new FormData();
    none.set('text', 'x');
    for (const body of [two, none, { file: 'x' }]) {
      const { status } = await ada.call('POST', '/files', body);
      expect([400, 422]).toContain(status);
    }
  });

  it('needs a session, and a page of ours when only a cookie comes with it', async () => {
    const send = (headers: Record<string, string>) =>
      fetch(`${rig.url}/api/files`, { method: 'POST', headers, body: formOf('x') });
    expect((await send({})).status).toBe(401);
    const cookie = { cookie: `stolas_session=${ada.id}` };
    expect((await send({ ...cookie, origin: 'https://evil.example' })).status).toBe(403);
    expect((await send({ ...cookie, 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await send({ ...cookie, 'sec-fetch-site': 'same-origin' })).status).toBe(200);
  });
});
