import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { actorOf, dyingAt, newId, openFiles, type Rig } from '../files.fixture.ts';
import { contentKey, filePrefix, textKey } from './file-record.ts';
import { createUseStore } from './uses-model.ts';

const SAMPLES = path.resolve(import.meta.dirname, '../../../../../frontend/public/samples');
const DAY_MS = 24 * 3_600_000;

let rig: Rig;
let owner: string;
let conversationId: string;

beforeAll(async () => {
  rig = await openFiles();
});

beforeEach(() => {
  owner = newId();
  conversationId = newId();
});

const add = (purpose: 'chat' | 'library' = 'chat') =>
  rig.add(owner, Buffer.from(newId()), 'notes.txt', purpose);
const isStored = async (id: string) =>
  (await rig.objects.head(contentKey({ ownerId: owner, id }))) !== null;
const idsLeft = async () => (await rig.filesOf(owner)).map(({ id }) => id);
const use = (id: string, conversation = conversationId) =>
  rig.addUse({ ownerId: owner, fileIds: [id], conversationId: conversation });
const release = (conversation = conversationId) =>
  rig.releaseConversation({ ownerId: owner, conversationId: conversation });

describe('deleting a file', () => {
  it('removes record and objects, and notifies the tabs', async () => {
    const { id } = await add();
    await rig.objects.write(textKey({ ownerId: owner, id }), Buffer.from('x'), { type: 'a/b' });
    await rig.deletion.remove(actorOf(owner), id);
    expect(await idsLeft()).toEqual([]);
    expect(await isStored(id)).toBe(false);
    expect(await rig.objects.head(textKey({ ownerId: owner, id }))).toBeNull();
    expect(rig.published).toContainEqual({
      userId: owner,
      event: 'file:deleted',
      payload: { id },
    });
  });

  it('answers not_found for a file of another user and for a deleted one', async () => {
    const { id } = await add();
    const stranger = actorOf(newId());
    await expect(rig.deletion.remove(stranger, id)).rejects.toMatchObject({ code: 'not_found' });
    expect(await rig.deletions.remove({ id, ownerId: newId() })).toBe(false);
    expect(await isStored(id)).toBe(true);
    await rig.deletion.remove(actorOf(owner), id);
    await expect(rig.deletion.remove(actorOf(owner), id)).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('is finished by the sweep, wherever the process crashed', async () => {
    for (let call = 1; ; call += 1) {
      const { id } = await add();
      const { wrap, died } = dyingAt(call);
      await rig
        .build(wrap)
        .deletion.remove(actorOf(owner), id)
        .catch(() => undefined);
      if (!died()) break;
      rig.later(16 * 60_000);
      await rig.deletion.sweepDeleted();
      const isLeft = (await idsLeft()).includes(id);
      // All of it exists, or none.
      expect(await isStored(id)).toBe(isLeft);
      if (isLeft) await rig.deletion.remove(actorOf(owner), id);
      expect(await rig.storage.used(owner)).toBe(0);
    }
  });

  it('removes objects that were written after the deletion', async () => {
    const { id } = await add();
    await rig.deletion.remove(actorOf(owner), id);
    const late = `${filePrefix({ ownerId: owner, id })}text.json.gz`;
    await rig.objects.write(late, Buffer.from('late'), { type: 'a/b' });
    await rig.deletion.sweepDeleted();
    expect(await rig.objects.head(late)).not.toBeNull();
    rig.later(16 * 60_000);
    await rig.deletion.sweepDeleted();
    expect(await rig.objects.head(late)).toBeNull();
    expect(await rig.models.deletedFiles.countDocuments({ ownerId: owner })).toBe(0);
  });
});

describe('erasing a conversation', () => {
  it('deletes the files that only it uses', async () => {
    const { id } = await add();
    await use(id);
    await release();
    expect(await idsLeft()).toEqual([]);
    expect(await isStored(id)).toBe(false);
  });

  it('keeps files of the library, of other conversations, and of a message that is being written', async () => {
    const inLibrary = await add('library');
    const elsewhere = await add();
    const attachedAgain = await add();
    for (const { id } of [inLibrary, elsewhere, attachedAgain]) await use(id);
    await use(elsewhere.id, newId());
    await rig.store.attachAgain(
      { id: attachedAgain.id, ownerId: owner },
      { inLibrary: false, now: rig.clock.now },
    );
    await release();
    expect((await idsLeft()).toSorted()).toEqual(
      [inLibrary.id, elsewhere.id, attachedAgain.id].toSorted(),
    );
    for (const file of await rig.filesOf(owner))
      expect(file.conversationIds).not.toContain(conversationId);
  });

  it('deletes nothing of another user', async () => {
    const { id } = await add();
    await use(id);
    await rig.releaseConversation({ ownerId: newId(), conversationId });
    expect(await rig.filesOf(owner)).toMatchObject([{ conversationIds: [conversationId] }]);
  });

  it('is finished by repeating it, wherever the process crashed', async () => {
    for (let call = 1; ; call += 1) {
      const [one, two] = [await add(), await add('library')];
      await use(one.id);
      await use(two.id);
      const { wrap, died } = dyingAt(call);
      await rig
        .build(wrap)
        .releaseConversation({ ownerId: owner, conversationId })
        .catch(() => undefined);
      if (!died()) break;
      await release();
      expect(await rig.filesOf(owner)).toMatchObject([{ id: two.id, conversationIds: [] }]);
      await rig.deletion.remove(actorOf(owner), two.id);
    }
  });
});

describe('two workers that erase one conversation', () => {
  /** Every order of the calls of two workers: `a` marks a call of the first one. */
  const orders = (calls: number): string[] =>
    calls === 0 ? [''] : orders(calls - 1).flatMap((rest) => [`a${rest}`, `b${rest}`]);

  /** Lets two workers make their calls in an order, and stops `dies` before its call with that number. */
  function inOrder(order: string, { dies, at }: { dies: string; at: number }) {
    let turn = 0;
    const waiting = new Set<() => void>();
    const ended = new Set<string>();
    const next = () => {
      for (const look of waiting) look();
    };
    const isTurnOf = (who: string) => {
      while (turn < order.length && ended.has(order.charAt(turn))) turn += 1;
      return turn >= order.length || order.charAt(turn) === who;
    };
    const worker = (who: string) => {
      let calls = 0;
      return <T extends object>(target: T): T =>
        new Proxy(target, {
          get: (object, name) => {
            const value: unknown = Reflect.get(object, name);
            if (typeof value !== 'function') return value;
            return async (...parameters: unknown[]) => {
              calls += 1;
              if (who === dies && calls >= at) throw new Error(`It died before ${String(name)}.`);
              while (!isTurnOf(who))
                await new Promise<void>((resolve) => {
                  const look = () => {
                    waiting.delete(look);
                    resolve();
                  };
                  waiting.add(look);
                });
              try {
                return await Reflect.apply(value, object, parameters);
              } finally {
                turn += 1;
                next();
              }
            };
          },
        });
    };
    const end = (who: string) => () => {
      ended.add(who);
      next();
    };
    return { worker, end };
  }

  it.each(['a', 'b', 'nobody'])(
    'leave neither object nor note, in every order of their calls (%s crashes)',
    async (dies) => {
      for (const order of orders(4))
        for (const at of dies === 'nobody' ? [0] : [2, 3]) {
          const { id } = await add();
          await use(id);
          const file = { id, ownerId: owner };
          const { worker, end } = inOrder(order, { dies, at });
          const erase = (who: string) =>
            rig
              .build(worker(who))
              .deletion.removeOnlyUsedBy(file, conversationId)
              .catch(() => false)
              .finally(end(who));
          await Promise.all([erase('a'), erase('b')]);
          // A worker completes it after the lease of the first one has ended.
          rig.later(10 * 60_000);
          await rig.deletion.removeOnlyUsedBy(file, conversationId);
          rig.later(16 * 60_000);
          await rig.deletion.sweepDeleted();
          const left = {
            records: await idsLeft(),
            isStored: await isStored(id),
            notes: await rig.models.deletedFiles.countDocuments({ ownerId: owner }),
          };
          expect(left, `${order}, ${dies} dies at ${at}`).toEqual({
            records: [],
            isStored: false,
            notes: 0,
          });
        }
    },
  );
});

describe('the sweep of deleted files', () => {
  it('is finished by the next one, wherever the process crashed', async () => {
    for (let call = 1; ; call += 1) {
      const { id } = await add();
      // The record is gone and the objects remain, as after a crash.
      await rig.deletions.note({ id, ownerId: owner }, rig.clock.now);
      await rig.deletions.remove({ id, ownerId: owner });
      rig.later(16 * 60_000);
      const { wrap, died } = dyingAt(call);
      await rig
        .build(wrap)
        .deletion.sweepDeleted()
        .catch(() => undefined);
      if (!died()) break;
      rig.later(16 * 60_000);
      await rig.deletion.sweepDeleted();
      const notes = await rig.models.deletedFiles.countDocuments({ ownerId: owner });
      expect([await isStored(id), notes], `died at call ${call}`).toEqual([false, 0]);
    }
  });

  it('keeps the note of a deletion that begins while it runs', async () => {
    const { id } = await add();
    const file = { id, ownerId: owner };
    // The note of a deletion that has not happened.
    await rig.deletions.note(file, rig.clock.now);
    rig.later(16 * 60_000);
    // Between the sweep's look at the record and its next call, the record is removed and the process crashes.
    const find = async (key: typeof file) => {
      const found = await rig.store.find(key);
      await rig.deletions.note(file, rig.clock.now);
      await rig.deletions.remove(file);
      return found;
    };
    const build = <T extends object>(target: T): T =>
      target === (rig.store as object) ? { ...target, find } : target;
    await rig.build(build).deletion.sweepDeleted();
    expect(await isStored(id)).toBe(true);
    rig.later(16 * 60_000);
    await rig.deletion.sweepDeleted();
    expect(await isStored(id)).toBe(false);
  });
});

describe('a file that cannot be swept', () => {
  /** The object with one method that fails for the files of `ids`. */
  const failing = (method: string, ids: readonly string[]) =>
    rig.build((target) =>
      method in target
        ? new Proxy(target, {
            get: (object, name) => {
              const value: unknown = Reflect.get(object, name);
              if (name !== method || typeof value !== 'function') return value;
              return async (...parameters: unknown[]) => {
                if (ids.some((id) => JSON.stringify(parameters).includes(id)))
                  throw new Error('The store refuses.');
                return Reflect.apply(value, object, parameters);
              };
            },
          })
        : target,
    );

  const GONE = { key: 'users/x/uploads/gone', etag: '"x"' };
  const kinds = [
    {
      kind: 'deleted',
      sweep: (bad: string[]) => failing('removeAll', bad).deletion.sweepDeleted(),
      spoil: async (id: string) => {
        await rig.deletions.note({ id, ownerId: owner }, rig.clock.now);
        await rig.deletions.remove({ id, ownerId: owner });
      },
    },
    {
      kind: 'never sent',
      sweep: (bad: string[]) => failing('removeUnused', bad).deletion.sweepUnused(),
      spoil: async () => undefined,
    },
    {
      kind: 'being stored',
      sweep: (bad: string[]) => failing('head', bad).sweepStoring(),
      spoil: async (id: string) => {
        const storing = { state: 'storing', storingSince: rig.clock.now, upload: GONE };
        await rig.models.files.updateOne({ _id: id }, { $set: storing });
        await rig.objects.removeAll(filePrefix({ ownerId: owner, id }));
      },
    },
  ];
  it.each(kinds)('and was $kind does not block others', async ({ sweep, spoil }) => {
    const [bad, good] = [await add(), await add()];
    for (const { id } of [bad, good]) await spoil(id);
    rig.later(8 * DAY_MS);
    await expect(sweep([bad.id])).rejects.toThrow(AggregateError);
    expect([await isStored(good.id), (await idsLeft()).includes(good.id)]).toEqual([false, false]);
    rig.later(DAY_MS);
    await sweep([]);
    expect([await isStored(bad.id), await idsLeft()]).toEqual([false, []]);
  });

  it('does not fill the batch before all others, however many there are', async () => {
    await rig.models.deletedFiles.deleteMany({});
    const bad = Array.from({ length: 100 }, newId);
    for (const id of bad) await rig.deletions.note({ id, ownerId: owner }, rig.clock.now);
    rig.later(1_000);
    const { id } = await add();
    await rig.deletions.note({ id, ownerId: owner }, rig.clock.now);
    await rig.deletions.remove({ id, ownerId: owner });
    rig.later(16 * 60_000);
    const sweep = () => failing('removeAll', bad).deletion.sweepDeleted();
    await expect(sweep()).rejects.toThrow(AggregateError);
    await sweep();
    expect(await isStored(id)).toBe(false);
  });
});

describe('files that were never sent', () => {
  it('are deleted after a week', async () => {
    const [unsent, sent] = [await add(), await add()];
    const kept = await add('library');
    await use(sent.id);
    rig.later(6 * DAY_MS);
    await rig.deletion.sweepUnused();
    expect(await idsLeft()).toHaveLength(3);
    rig.later(2 * DAY_MS);
    await rig.deletion.sweepUnused();
    expect((await idsLeft()).toSorted()).toEqual([sent.id, kept.id].toSorted());
    expect(await isStored(unsent.id)).toBe(false);
  });

  it('are kept when one is sent while the sweep runs', async () => {
    const { id } = await add();
    rig.later(8 * DAY_MS);
    const before = rig.clock.now;
    expect(await rig.deletions.unused({ before, limit: 100 })).toContainEqual({
      id,
      ownerId: owner,
    });
    await use(id);
    expect(await rig.deletions.removeUnused({ id, ownerId: owner }, { before })).toBe(false);
  });
});

describe('naming files in a message', () => {
  const select = (user: string, files: object[], isGuest = false) =>
    rig.selectForMessage({ userId: user, isGuest }, files);

  it('takes an id, a path or a key, and counts one file once', async () => {
    const { id, objectPath, key } = await add();
    const { files, fileIds } = await select(owner, [
      { id, name: 'other\u202ename.txt' },
      { objectPath },
      { key },
    ]);
    expect(fileIds).toEqual([id]);
    expect(files).toMatchObject([{ id, name: 'othername.txt', url: objectPath, objectPath }]);
  });

  it('rejects files of another user and keys that are none', async () => {
    const { id, objectPath, key } = await add();
    const stranger = newId();
    const own = key.replace(owner, stranger);
    for (const file of [
      { id },
      { objectPath },
      { key },
      { key: own },
      { objectPath: `${objectPath}/..` },
    ])
      await expect(select(stranger, [file])).rejects.toMatchObject({ code: 'not_found' });
  });

  it('takes as many files as the user may name', async () => {
    const [one, two] = [await add(), await add()];
    await expect(select(owner, [one, two], true)).rejects.toMatchObject({
      code: 'invalid_field',
      message: 'You can only upload 1 file(s)',
    });
    expect((await select(owner, [one, two])).fileIds).toEqual([one.id, two.id]);
  });

  it('counts no sample file of STOLAS as one of a guest', async () => {
    const sample = async (name: string) =>
      rig.add(owner, await readFile(path.join(SAMPLES, name)), 'sample.md', 'chat');
    const leases = [await sample('en/lease-2024.md'), await sample('de/mietvertrag-2025.md')];
    const [one, two] = [await add(), await add()];
    const named = [...leases, one];
    expect((await select(owner, named, true)).fileIds).toEqual(named.map(({ id }) => id));
    await expect(select(owner, [...named, two], true)).rejects.toMatchObject({
      code: 'invalid_field',
    });
  });

  it('rejects the use of a file that was deleted meanwhile, or of another user', async () => {
    const { id } = await add();
    const use = { fileIds: [id], conversationId };
    await expect(rig.addUse({ ...use, ownerId: newId() })).rejects.toMatchObject({
      code: 'not_found',
    });
    await rig.deletion.remove(actorOf(owner), id);
    await expect(rig.addUse({ ...use, ownerId: owner })).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});

describe('the records of files', () => {
  it('are found for their owner only', async () => {
    const { id } = await add();
    await use(id);
    expect(await rig.store.find({ id, ownerId: owner })).not.toBeNull();
    expect(await rig.store.find({ id, ownerId: newId() })).toBeNull();
    const uses = createUseStore(rig.models.files);
    expect(await uses.of({ ownerId: owner, conversationId })).toEqual([id]);
    expect(await uses.of({ ownerId: newId(), conversationId })).toEqual([]);
    expect(await uses.of({ ownerId: owner, conversationId: newId() })).toEqual([]);
  });

  it('count as unused only while no conversation and no library has them', async () => {
    const bytes = Buffer.from(newId());
    const used = await rig.add(owner, bytes);
    await use(used.id);
    // Attached again for an unsent message.
    await rig.add(owner, bytes);
    const kept = await add();
    await rig.models.files.updateOne({ _id: kept.id }, { $set: { inLibrary: true } });
    rig.later(8 * DAY_MS);
    await rig.deletion.sweepUnused();
    expect((await idsLeft()).toSorted()).toEqual([used.id, kept.id].toSorted());
  });
});
