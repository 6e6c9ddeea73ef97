import { beforeAll, beforeEach, expect, it } from 'vitest';
import { type Grant, userPrincipal, workspacePrincipal } from '../../../access/index.ts';
import { actorOf, bytesOf, dyingAt, newId, openFiles, type Rig } from '../files.fixture.ts';
import { contentKey, filePrefix, textKey } from './file-record.ts';

let rig: Rig;
let from: string;
let to: string;
let workspaceId: string;

beforeAll(async () => {
  rig = await openFiles();
});

beforeEach(() => {
  [from, to, workspaceId] = [newId(), newId(), newId()];
});

const given = () => ({ from, workspaceId, to });
const theWorkspace = (): Grant => ({ principal: workspacePrincipal(workspaceId), role: 'viewer' });

async function add(bytes: Buffer = Buffer.from(newId()), ownerId = from) {
  const { id } = await rig.add(ownerId, bytes, 'notes.txt', 'library');
  await rig.models.files.updateOne({ _id: id }, { $set: { state: 'ready' } });
  await rig.objects.write(textKey({ ownerId, id }), Buffer.from('text'), { type: 'a/b' });
  return { id, ownerId };
}

async function addShared(bytes?: Buffer, more: Grant[] = []) {
  const file = await add(bytes);
  await rig.store.replaceGrants(file, { from: [], to: [theWorkspace(), ...more] });
  return file;
}

const idsOf = async (ownerId: string) => (await rig.filesOf(ownerId)).map(({ id }) => id);
const grantsOf = async (ownerId: string) =>
  (await rig.filesOf(ownerId)).map(({ grants }) => grants);

it('gives what is shared with the workspace to the next owner, with text and storage, and nothing else', async () => {
  const bytes = Buffer.from(newId());
  const heir: Grant = { principal: userPrincipal(to), role: 'viewer' };
  const shared = await addShared(bytes, [heir]);
  const { id: own } = await add();
  const conversationId = newId();
  await rig.addUse({ ownerId: from, fileIds: [shared.id], conversationId });
  expect(await rig.countShared(from, workspaceId)).toBe(1);

  await rig.handOver(given());
  expect([await idsOf(from), await idsOf(to)]).toEqual([[own], [shared.id]]);
  expect(await rig.filesOf(to)).toMatchObject([
    {
      state: 'ready',
      inLibrary: true,
      grants: [theWorkspace()],
      conversationIds: [],
      formerOwners: [from],
      formerUses: [conversationId],
    },
  ]);
  const moved = { id: shared.id, ownerId: to };
  expect(await bytesOf(rig.objects, contentKey(moved))).toEqual(bytes);
  expect(String(await bytesOf(rig.objects, textKey(moved)))).toBe('text');
  expect(await rig.objects.count(filePrefix(shared))).toBe(0);
  expect([await rig.storage.used(from), await rig.storage.used(to)]).toEqual([24, 24]);
  expect(rig.published).toContainEqual({
    userId: from,
    event: 'file:deleted',
    payload: { id: shared.id },
  });
  // The note of the hand-over removes nothing later.
  rig.later(16 * 60_000);
  await rig.deletion.sweepDeleted();
  expect(await bytesOf(rig.objects, contentKey(moved))).toEqual(bytes);
});

it('can be repeated after a crash at each step, also by two calls at once', async () => {
  for (let call = 1; ; call += 1) {
    const file = await addShared();
    const { wrap, died } = dyingAt(call);
    await rig
      .build(wrap)
      .handOver(given())
      .catch(() => undefined);
    await Promise.all([rig.handOver(given()), rig.handOver(given())]);
    const moved = { id: file.id, ownerId: to };
    expect(await idsOf(from)).toEqual([]);
    expect(await rig.objects.head(contentKey(moved))).not.toBeNull();
    rig.later(16 * 60_000);
    expect([await rig.storage.used(from), await rig.storage.used(to)]).toEqual([0, 24 * call]);
    if (!died()) break;
  }
});

it('leaves no copy when the file is deleted meanwhile', async () => {
  const file = await addShared();
  const deleting = <T extends object>(target: T): T =>
    new Proxy(target, {
      get: (object, name) => {
        const value: unknown = Reflect.get(object, name);
        if (name !== 'giveTo' || typeof value !== 'function') return value;
        return async (...parameters: unknown[]) => {
          await rig.deletion.remove(actorOf(from), file.id);
          return Reflect.apply(value, object, parameters);
        };
      },
    });
  await rig.build(deleting).handOver(given());
  expect([await idsOf(from), await idsOf(to)]).toEqual([[], []]);
  rig.later(16 * 60_000);
  await rig.deletion.sweepDeleted();
  for (const ownerId of [from, to])
    expect(await rig.objects.count(filePrefix({ id: file.id, ownerId }))).toBe(0);
  expect(await rig.storage.used(to)).toBe(0);
});

it('shares for reading what the next owner has with the same content, and leaves the other one', async () => {
  const bytes = Buffer.from(newId());
  const heir = userPrincipal(to);
  const other = userPrincipal(newId());
  const shared = await addShared(bytes, [
    { principal: heir, role: 'viewer' },
    { principal: other, role: 'manager' },
  ]);
  const same = await add(bytes, to);
  for (const _ of [1, 2]) await rig.handOver(given());
  expect([await idsOf(from), await idsOf(to)]).toEqual([[shared.id], [same.id]]);
  expect(await grantsOf(to)).toEqual([[theWorkspace(), { principal: other, role: 'viewer' }]]);
});
