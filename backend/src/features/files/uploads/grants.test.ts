import { beforeAll, describe, expect, it } from 'vitest';
import { MAX_OPEN_UPLOADS } from './grants.ts';
import {
  FILE_BYTES,
  openUploads,
  pathOf,
  STORAGE_BYTES,
  type Uploader,
  type Uploads,
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
      Array.from({ length: MAX_OPEN_UPLOADS + 10 }, () => user.target()),
    );
    const given = answers.filter(({ status }) => status === 200);
    expect(given.length).toBeLessThanOrEqual(MAX_OPEN_UPLOADS);
    expect(answers.find(({ status }) => status !== 200)).toMatchObject({ status: 429 });
    const fill = MAX_OPEN_UPLOADS - given.length;
    for (let n = 0; n < fill; n++) given.push(await user.target());
    expect(given.every(({ status }) => status === 200)).toBe(true);
    const one = { ownerId: user.id, key: given[0]?.body.key ?? '' };

    expect((await user.target()).status).toBe(429);
    expect((await rig.user().target()).status).toBe(200);
    await rig.uploads.attach({ ...one, fileId: 'a'.repeat(24) });
    expect((await user.target()).status).toBe(200);
    expect((await user.target()).status).toBe(429);
    rig.wait(HOUR_MS);
    expect((await user.target()).status).toBe(200);
  });

  it('count against the storage of their user until they are swept', async () => {
    const user = rig.user();
    const begin = () => user.begin({ size: FILE_BYTES });
    const first = await begin();
    for (let n = 1; n < STORAGE_BYTES / FILE_BYTES; n += 1) await begin();
    // An ended upload: a URL that was signed for it still works.
    await user.call('DELETE', pathOf(first));
    const refused = await user.target({ fileSize: 1 });
    expect(refused).toMatchObject({
      status: 402,
      body: {
        code: 'storage_full',
        message:
          'Your files and unfinished uploads use 300 MB of 300 MB. Delete files that you no longer need, or finish your uploads, then try again.',
      },
    });
    // A refused upload no longer counts; an attached one counts as a file.
    expect((await user.target({ fileSize: 0 })).status).toBe(200);
    await rig.uploads.attach({ ownerId: user.id, key: first.key, fileId: 'a'.repeat(24) });
    expect((await user.target({ fileSize: FILE_BYTES })).status).toBe(200);
    expect((await rig.user().target({ fileSize: 1 })).status).toBe(200);
  });

  it('of concurrent calls use no more than the storage together', async () => {
    const user = rig.user();
    const asked = Array.from({ length: 40 }, () => user.target({ fileSize: FILE_BYTES }));
    const given = (await Promise.all(asked)).filter(({ status }) => status === 200);
    expect(given.length).toBeLessThanOrEqual(STORAGE_BYTES / FILE_BYTES);
  });

  it('are refused when stored files leave no room', async () => {
    const user = rig.user();
    rig.inUse.bytes = STORAGE_BYTES - 3;
    expect((await user.target({ fileSize: 4 })).body).toMatchObject({ code: 'storage_full' });
    expect((await user.target({ fileSize: 3 })).status).toBe(200);
    rig.inUse.bytes = 0;
  });

  it('become one file, however often they are attached', async () => {
    const { key } = (await ada.target()).body;
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
    const { key } = (await ada.target()).body;
    const [own, foreign] = [
      { ownerId: ada.id, key },
      { ownerId: bob.id, key },
    ];
    await rig.uploads.begin(foreign, 'of-bob');
    const at = (ms: number) => ({ sweepAt: new Date(rig.now().getTime() + ms) });
    await rig.uploads.end(foreign, at(0));
    expect((await rig.uploads.find(own))?.uploadId).toBeUndefined();
    await rig.uploads.end(own, at(1));
    await rig.uploads.end(own, at(DAY_MS));
    expect((await rig.model.findOne({ _id: key }).lean())?.sweepAt).toEqual(at(1).sweepAt);
  });

  it('are one for each key', async () => {
    const { key } = (await ada.target()).body;
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
