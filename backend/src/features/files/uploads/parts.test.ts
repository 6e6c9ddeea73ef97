import { beforeAll, describe, expect, it, vi } from 'vitest';
import { MIN_PART_BYTES } from '../../../contract/limits.ts';
import { UploadRefusedError } from '../../../objects/index.ts';
import { openUploads, pathOf, put, type Uploader, type Uploads } from './uploads.fixture.ts';

let rig: Uploads;
let ada: Uploader;
let bob: Uploader;

beforeAll(async () => {
  rig = await openUploads();
  ada = rig.user();
  bob = rig.user();
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
    expect(await rig.stored(upload.key)).toBe('Hello');
  });

  it('is not completed with parts that never arrived', async () => {
    const parts = [{ PartNumber: 1, ETag: '"0123456789abcdef0123456789abcdef"' }];
    const { status, body } = await ada.call('POST', pathOf(await ada.begin(), '/complete'), {
      parts,
    });
    expect([status, body.code]).toEqual([409, 'upload_incomplete']);
  });

  it('that the store does not begin takes no storage and no place among the open ones', async () => {
    const begin = vi.spyOn(rig.objects, 'createUpload').mockRejectedValueOnce(new Error('down'));
    const user = rig.user();
    await user.begin();
    expect(begin).toHaveBeenCalledOnce();
    const since = new Date(rig.now().getTime() - 1);
    expect([
      await rig.uploads.declaredBytes(user.id),
      await rig.uploads.countOpen(user.id, since),
    ]).toEqual([0, 0]);
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

  it('has parts of one length up to the end of the declared size', async () => {
    const upload = await ada.begin({ size: 2 * MIN_PART_BYTES + 3 });
    const sendTo = async (part: number, length: number) =>
      (await put((await sign(ada, upload, part)).body.url, 'x'.repeat(length))).status;
    for (const length of [0, 2, 4]) expect(await sendTo(3, length)).toBe(403);
    expect(await sendTo(3, 3)).toBe(200);
    expect(await sendTo(1, 3)).toBe(403);
    expect(await sendTo(1, MIN_PART_BYTES)).toBe(200);
    for (const part of [4, 10_000]) expect((await sign(ada, upload, part)).status).toBe(422);
  });

  describe('of another user', () => {
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
      const whole = (await ada.target()).body;
      const foreign = [
        upload,
        { ...upload, uploadId: own.uploadId },
        // The user's own grant with another upload's id, or with none.
        { ...own, uploadId: upload.uploadId },
        { ...own, uploadId: 'undefined' },
        { key: whole.key, uploadId: own.uploadId },
        { key: whole.key, uploadId: 'undefined' },
        // Keys that only resemble the user's own.
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
