import { beforeAll, describe, expect, it } from 'vitest';
import { UploadRefusedError } from '../../../objects/index.ts';
import { openUploads, pathOf, put, type Uploader, type Uploads } from './uploads.fixture.ts';

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

describe('the sweep', () => {
  const exists = async (key: string) => (await rig.model.findOne({ _id: key })) !== null;
  /** Removes the grants of other tests. */
  const removeGrants = () => rig.model.deleteMany({});

  it('removes objects, unfinished parts and grants a day after, and nothing of younger ones', async () => {
    await removeGrants();
    const { key, uploadURL } = (await ada.target()).body;
    await put(uploadURL, 'stray');
    const parts = await ada.begin();
    // Begun by a process that crashed before it stored the id.
    const { key: unnoted } = (await ada.target()).body;
    const uploadId = await rig.objects.createUpload(unnoted, { type: 'text/plain' });
    rig.wait(DAY_MS + 2 * HOUR_MS);
    const young = (await bob.target()).body;
    await rig.objects.write(young.key, Buffer.from('young'), { type: 'text/plain' });
    await rig.sweep();

    expect(await rig.objects.head(key)).toBeNull();
    for (const upload of [parts, { key: unnoted, uploadId }])
      await expect(rig.objects.listParts(upload)).rejects.toThrow(UploadRefusedError);
    expect(await Promise.all([key, parts.key, unnoted].map(exists))).toEqual([false, false, false]);
    expect(await rig.stored(young.key)).toBe('young');
    expect(await exists(young.key)).toBe(true);
  });

  it('keeps what an attached upload needs for a day, so that attaching again answers the same', async () => {
    await removeGrants();
    const { key } = (await ada.target()).body;
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

  it('is repeated when it was interrupted between object and grant', async () => {
    await removeGrants();
    const { key } = (await ada.target()).body;
    await rig.objects.write(key, Buffer.from('stray'), { type: 'text/plain' });
    rig.wait(2 * DAY_MS);
    const removeAll = () => Promise.reject(new Error('The store does not answer.'));
    await expect(rig.sweep({ removeAll })).rejects.toThrow(AggregateError);
    await rig.sweep();
    expect(await rig.stored(key)).toBe('stray');
    rig.wait(HOUR_MS);
    await rig.sweep();
    expect([await rig.objects.head(key), await exists(key)]).toEqual([null, false]);
  });

  it('continues after a grant whose object cannot be removed', async () => {
    await removeGrants();
    const targets = [await ada.target(), await ada.target(), await bob.target()];
    rig.wait(2 * DAY_MS);
    const [bad = ''] = targets.map(({ body }) => body.key);
    const removeAll = async (prefix: string) => {
      if (bad.startsWith(prefix)) throw new Error('The store refuses.');
      await rig.objects.removeAll(prefix);
    };
    await expect(rig.sweep({ removeAll })).rejects.toThrow(AggregateError);
    const left = await Promise.all(targets.map(({ body }) => exists(body.key)));
    expect(left).toEqual([true, false, false]);
  });

  it('handles each grant in one worker, with any number of sweeps', async () => {
    await removeGrants();
    for (let n = 0; n < 5; n++) await ada.target();
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
    const { key } = (await ada.target()).body;
    rig.wait(2 * DAY_MS);
    const removeAll = async () => {
      await rig.model.updateOne(
        { _id: key },
        { $set: { sweepAt: new Date(rig.now().getTime() + DAY_MS) } },
      );
    };
    await rig.sweep({ removeAll });
    expect(await exists(key)).toBe(true);
  });

  it('removes objects that an erased user still uploads with an old URL', async () => {
    await removeGrants();
    const user = rig.user();
    const { key, uploadURL } = (await user.target({ fileName: 'secret.pdf' })).body;
    const other = (await ada.target({ fileName: 'kept.pdf' })).body;
    await rig.uploads.endAll(user.id, { sweepAt: new Date(rig.now().getTime() + HOUR_MS) });
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
