import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { contentKey, filePrefix, textKey } from './file-record.ts';
import { actorOf, dyingAt, newId, openFiles, type Rig } from './files.fixture.ts';
import { createUseStore } from './use-model.ts';

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
  it('removes record and objects, and tells the tabs', async () => {
    const { id } = await add();
    await rig.objects.write(textKey({ ownerId: owner, id }), Buffer.from('x'), { type: 'a/b' });
    await rig.deletion.remove(actorOf(owner), id);
    expect(await idsLeft()).toEqual([]);
    expect(await isStored(id)).toBe(false);
    expect(await rig.objects.head(textKey({ ownerId: owner, id }))).toBeNull();
    expect(rig.published).toContainEqual({ event: 'file:deleted', payload: { id } });
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

  it('is finished by the sweep, wherever the process died', async () => {
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
      // Either all of it is there, or nothing is.
      expect(await isStored(id)).toBe(isLeft);
      if (isLeft) await rig.deletion.remove(actorOf(owner), id);
      expect(await rig.storage.used(owner)).toBe(0);
    }
  });

  it('removes what was written after the deletion', async () => {
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

  it('is finished by doing it again, wherever the process died', async () => {
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
    // Attached again for a message that is never sent.
    await rig.add(owner, bytes);
    const kept = await add();
    await rig.models.files.updateOne({ _id: kept.id }, { $set: { inLibrary: true } });
    rig.later(8 * DAY_MS);
    await rig.deletion.sweepUnused();
    expect((await idsLeft()).toSorted()).toEqual([used.id, kept.id].toSorted());
  });
});
