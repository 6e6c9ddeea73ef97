import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  actorOf,
  bytesOf,
  dyingAt,
  MB,
  newId,
  openFiles,
  plan,
  type Rig,
} from '../files.fixture.ts';
import { contentKey } from './file-record.ts';

let rig: Rig;
let owner: string;

beforeAll(async () => {
  rig = await openFiles();
});

beforeEach(() => {
  owner = newId();
  Object.assign(plan, {
    uploadBytes: 10 * MB,
    storageBytes: 100 * MB,
    subscriptionPlan: 'starter',
  });
});

const text = (content: string) => Buffer.from(content);
const request = (
  uploadURL: string,
  fileName = 'notes.txt',
  purpose: 'chat' | 'library' = 'chat',
) => ({
  uploadURL,
  fileName,
  purpose,
});

describe('attaching an upload', () => {
  it('turns the object into a file at a separate place', async () => {
    const key = await rig.upload(owner, text('Owls hoot.'));
    const attached = await rig.attach(actorOf(owner), request(key));
    expect(attached).toMatchObject({
      bytes: 10,
      mime: 'text/plain',
      filename: 'notes.txt',
      objectPath: `/api/files/${attached.id}`,
      file: { state: 'waiting', kind: 'text', conversationIds: [] },
    });
    expect(attached.key).toBe(contentKey({ ownerId: owner, id: attached.id }));
    expect(await bytesOf(rig.objects, attached.key)).toEqual(text('Owls hoot.'));
    expect(await rig.objects.head(key)).toBeNull();
    expect(rig.enqueued).toContain(attached.id);
  });

  it('accepts the signed URL of the upload', async () => {
    const key = await rig.upload(owner, text('By address'));
    const { url } = await rig.objects.signPut(key, { size: 1, expiresInSeconds: 60 });
    expect((await rig.attach(actorOf(owner), request(url))).bytes).toBe(10);
  });

  it('answers the same file when it is repeated', async () => {
    const key = await rig.upload(owner, text('Twice'));
    const first = await rig.attach(actorOf(owner), request(key));
    const second = await rig.attach(actorOf(owner), request(key, 'another name.txt'));
    expect(second).toEqual(first);
  });

  it("finds the type in the bytes, not in the client's statement", async () => {
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    expect((await rig.add(owner, png, 'page.html')).type).toBe('image/png');
  });

  it('rejects an upload of another user, an unknown one, and paths that leave the prefix', async () => {
    const key = await rig.upload(owner, text('Mine'));
    const stranger = actorOf(newId());
    const others = [
      key.replace(owner, newId()),
      `users/${stranger.userId}/uploads/x/../../${owner}/uploads/x`,
      `users/${stranger.userId}/uploads/unknown/content`,
      'https://example.com/%E0%A4%A',
      'nothing',
    ];
    for (const address of [key, `https://s3/bucket/${key}`, ...others])
      await expect(rig.attach(stranger, request(address))).rejects.toMatchObject({
        code: 'not_found',
      });
    expect(await rig.objects.head(key)).not.toBeNull();
  });

  it('asks for the upload when nothing was uploaded', async () => {
    const key = await rig.upload(owner, text('Gone'));
    await rig.objects.remove(key);
    await expect(rig.attach(actorOf(owner), request(key))).rejects.toMatchObject({
      code: 'upload_incomplete',
    });
  });

  it('rejects and removes an object above the limit, for any declared size', async () => {
    plan.uploadBytes = 1_000;
    const key = await rig.upload(owner, Buffer.alloc(1_001));
    await expect(rig.attach(actorOf(owner), request(key))).rejects.toMatchObject({
      code: 'too_large',
      details: { limit: 1_000, size: 1_001, upgrade: true },
    });
    expect(await rig.objects.head(key)).toBeNull();
  });

  it('rejects an object that was replaced while it was read', async () => {
    const key = await rig.upload(owner, text('First'));
    const replacing = rig.build((target) =>
      'signPut' in target
        ? new Proxy(target, {
            get: (object, name) =>
              name === 'copy'
                ? async (...parameters: Parameters<typeof rig.objects.copy>) => {
                    await rig.objects.write(key, text('Second'), { type: 'text/plain' });
                    return rig.objects.copy(...parameters);
                  }
                : Reflect.get(object, name),
          })
        : target,
    );
    await expect(replacing.attach(actorOf(owner), request(key))).rejects.toMatchObject({
      code: 'upload_incomplete',
    });
    expect((await rig.filesOf(owner)).map(({ state }) => state)).toEqual(['storing']);
    // Another file is stored there now.
    expect((await rig.attach(actorOf(owner), request(key))).bytes).toBe(6);
  });

  it('stores equal content once per user', async () => {
    const first = await rig.add(owner, text('Equal'), 'one.txt');
    const second = await rig.add(owner, text('Equal'), 'two.txt', 'library');
    expect([second.id, second.name]).toEqual([first.id, 'one.txt']);
    const other = await rig.add(newId(), text('Equal'));
    expect(other.id).not.toBe(first.id);
    const [file] = await rig.filesOf(owner);
    expect(file?.inLibrary).toBe(true);
    expect(await rig.storage.used(owner)).toBe(5);
  });

  it('stores one file for twenty equal concurrent uploads', async () => {
    const keys = await Promise.all(
      Array.from({ length: 20 }, () => rig.upload(owner, text('Twenty'))),
    );
    const attached = await Promise.all(keys.map((key) => rig.attach(actorOf(owner), request(key))));
    expect(new Set(attached.map(({ id }) => id)).size).toBe(1);
    expect(await rig.filesOf(owner)).toHaveLength(1);
    expect(await rig.storage.used(owner)).toBe(6);
    expect(await bytesOf(rig.objects, attached[0]?.key ?? '')).toEqual(text('Twenty'));
  });

  it('answers one file for twenty concurrent calls with the same upload', async () => {
    const key = await rig.upload(owner, text('Again and again'));
    const attached = await Promise.all(
      Array.from({ length: 20 }, () => rig.attach(actorOf(owner), request(key))),
    );
    expect(new Set(attached.map(({ id }) => id)).size).toBe(1);
  });
});

describe('storage', () => {
  it('accepts no file beyond the limit, even for two concurrent ones', async () => {
    plan.storageBytes = 15;
    const keys = await Promise.all([
      rig.upload(owner, text('0123456789')),
      rig.upload(owner, text('abcdefghij')),
    ]);
    const results = await Promise.allSettled(
      keys.map((key) => rig.attach(actorOf(owner), request(key))),
    );
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(results.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'storage_full', details: { used: 10, limit: 15 } },
    });
    expect(await rig.storage.used(owner)).toBe(10);
  });

  it('has room again after a file was deleted', async () => {
    plan.storageBytes = 15;
    const { id } = await rig.add(owner, text('0123456789'));
    const key = await rig.upload(owner, text('abcdefghij'));
    const attach = () => rig.attach(actorOf(owner), request(key));
    await expect(attach()).rejects.toMatchObject({ code: 'storage_full' });
    await rig.deletion.remove(actorOf(owner), id);
    expect((await attach()).bytes).toBe(10);
  });

  it('is not used by a process that crashed between reservation and record', async () => {
    await rig.storage.reserve(owner, { fileId: newId(), bytes: 7 }, 100);
    expect(await rig.storage.used(owner)).toBe(7);
    await rig.storage.recount(owner);
    expect(await rig.storage.used(owner)).toBe(7);
    rig.later(11 * 60_000);
    await rig.storage.sweep();
    expect(await rig.storage.used(owner)).toBe(0);
  });

  it('is recounted for each user, even when some fail', async () => {
    const bad = newId();
    for (const user of [bad, owner])
      await rig.storage.reserve(user, { fileId: newId(), bytes: 7 }, 100);
    rig.later(11 * 60_000);
    const { storage } = rig.build((target) =>
      'sumOf' in target
        ? {
            ...target,
            sumOf: async (...sum: Parameters<typeof rig.store.sumOf>) => {
              if (sum[0] === bad) throw new Error('The files cannot be counted.');
              return rig.store.sumOf(...sum);
            },
          }
        : target,
    );
    await expect(storage.sweep()).rejects.toThrow(AggregateError);
    expect([await rig.storage.used(bad), await rig.storage.used(owner)]).toEqual([7, 0]);
    await rig.storage.sweep();
  });

  it('counts a file once while its reservation is open', async () => {
    const { id } = await rig.add(owner, text('0123456789'));
    await rig.storage.reserve(owner, { fileId: id, bytes: 10 }, 100);
    await rig.storage.recount(owner);
    expect(await rig.storage.used(owner)).toBe(10);
  });

  it.each(['before', 'after'])(
    'counts a file once whose record is inserted %s the others are summed up for a recount',
    async (when) => {
      const { files } = rig.models;
      const { attach } = rig.build((target) =>
        'sumOf' in target
          ? {
              ...target,
              insert: async (file: Parameters<typeof rig.store.insert>[0]) => {
                const sum = files.aggregate.bind(files);
                vi.spyOn(files, 'aggregate').mockImplementationOnce((async (stages: []) => {
                  await rig.filesOf(owner);
                  if (when === 'before') await rig.store.insert(file);
                  const sums: unknown = await sum(stages);
                  if (when === 'after') await rig.store.insert(file);
                  return sums;
                }) as never);
                await rig.storage.recount(owner);
                return true;
              },
            }
          : target,
      );
      await attach(actorOf(owner), request(await rig.upload(owner, text('0123456789'))));
      expect(await rig.storage.used(owner)).toBe(10);
    },
  );

  it('is not used by a file that is deleted before its reservation ends', async () => {
    const { attach } = rig.build((target) =>
      'settle' in target
        ? {
            ...target,
            settle: async (...settled: Parameters<typeof rig.storage.settle>) => {
              await rig.deletion.remove(actorOf(owner), settled[1]);
              await rig.storage.settle(...settled);
            },
          }
        : target,
    );
    const key = await rig.upload(owner, text('0123456789'));
    await expect(attach(actorOf(owner), request(key))).rejects.toMatchObject({
      code: 'upload_incomplete',
    });
    expect(await rig.storage.used(owner)).toBe(0);
  });

  it('keeps a reservation that is made during a recount', async () => {
    await rig.add(owner, text('0123456789'));
    const late = { fileId: newId(), bytes: 5 };
    let isFirst = true;
    const { storage } = rig.build((target) =>
      'sumOf' in target
        ? new Proxy(target, {
            get: (object, name) => {
              const value = Reflect.get(object, name);
              if (name !== 'sumOf' || typeof value !== 'function') return value;
              return async (...parameters: unknown[]) => {
                const sum: unknown = await Reflect.apply(value, object, parameters);
                if (isFirst) await rig.storage.reserve(owner, late, 100);
                isFirst = false;
                return sum;
              };
            },
          })
        : target,
    );
    await storage.recount(owner);
    expect(await rig.storage.used(owner)).toBe(15);
  });

  it('releases a reservation once', async () => {
    const file = { fileId: newId(), bytes: 5 };
    await rig.storage.reserve(owner, file, 100);
    await rig.storage.reserve(owner, { fileId: newId(), bytes: 3 }, 100);
    await rig.storage.release(owner, file);
    await rig.storage.release(owner, file);
    expect(await rig.storage.used(owner)).toBe(3);
  });
});

describe('a process that dies while it attaches', () => {
  it('leaves nothing that attaching again does not finish', async () => {
    let deaths = 0;
    for (let call = 1; ; call += 1) {
      const user = newId();
      const key = await rig.upload(user, text(`Cut ${call}`));
      const { wrap, died } = dyingAt(call);
      await rig
        .build(wrap)
        .attach(actorOf(user), request(key))
        .catch(() => undefined);
      if (!died()) break;
      deaths += 1;
      const attached = await rig.attach(actorOf(user), request(key));
      const files = await rig.filesOf(user);
      expect(files.map(({ id, state }) => [id, state])).toEqual([[attached.id, 'waiting']]);
      expect(await bytesOf(rig.objects, attached.key)).toEqual(text(`Cut ${call}`));
      rig.later(11 * 60_000);
      await rig.storage.sweep();
      expect(await rig.storage.used(user)).toBe(attached.bytes);
    }
    expect(deaths).toBeGreaterThan(9);
  });

  it('leaves nothing that the sweep does not finish or remove', async () => {
    for (let call = 1; ; call += 1) {
      const user = newId();
      const key = await rig.upload(user, text(`Swept ${call}`));
      const { wrap, died } = dyingAt(call);
      await rig
        .build(wrap)
        .attach(actorOf(user), request(key))
        .catch(() => undefined);
      if (!died()) break;
      rig.later(11 * 60_000);
      await rig.sweepStoring();
      await rig.storage.sweep();
      const files = await rig.filesOf(user);
      for (const file of files) {
        expect(file.state).toBe('waiting');
        expect(await bytesOf(rig.objects, contentKey(file))).toEqual(text(`Swept ${call}`));
      }
      expect(await rig.storage.used(user)).toBe(files[0]?.size ?? 0);
    }
  });

  it('leaves no file without content when its upload is gone', async () => {
    const key = await rig.upload(owner, text('Lost'));
    const failing = rig.build((target) =>
      'signPut' in target
        ? new Proxy(target, {
            get: (object, name) =>
              name === 'copy'
                ? async () => {
                    throw new Error('The process died.');
                  }
                : Reflect.get(object, name),
          })
        : target,
    );
    await expect(failing.attach(actorOf(owner), request(key))).rejects.toThrow('died');
    await rig.objects.remove(key);
    rig.later(6 * 60_000);
    await rig.sweepStoring();
    expect(await rig.filesOf(owner)).toEqual([]);
    expect(await rig.storage.used(owner)).toBe(0);
  });

  it('keeps a file whose content was copied before the upload was removed', async () => {
    const { id, key } = await rig.add(owner, text('Copied'));
    const upload = { key: 'users/x/uploads/gone', etag: '"x"' };
    await rig.models.files.updateOne(
      { _id: id },
      { $set: { state: 'storing', storingSince: rig.clock.now, upload } },
    );
    rig.later(6 * 60_000);
    await rig.sweepStoring();
    expect((await rig.filesOf(owner)).map(({ state }) => state)).toEqual(['waiting']);
    expect(await bytesOf(rig.objects, key)).toEqual(text('Copied'));
  });
});
