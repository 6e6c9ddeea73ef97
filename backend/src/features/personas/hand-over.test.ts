import { beforeAll, beforeEach, expect, it } from 'vitest';
import { type Grant, userPrincipal, workspacePrincipal } from '../../access/index.ts';
import type { ExportEntry } from '../export-entry.ts';
import { forWorkspaces } from '../record-grants.ts';
import { exportPersonas } from './cards/export.ts';
import { deletePersona } from './edit.ts';
import { handOver } from './hand-over.ts';
import type { OwnPersona } from './model.ts';
import { actorOf, fieldsOf, newId, openPersonas } from './personas.fixture.ts';

let rig: Awaited<ReturnType<typeof openPersonas>>;
let from: string;
let to: string;
let workspaceId: string;

beforeAll(async () => {
  rig = await openPersonas();
});

beforeEach(() => {
  [from, to, workspaceId] = [newId(), newId(), newId()];
});

const CARD = { json: Buffer.from('{}'), picture: Buffer.from('a picture') };
const given = () => ({ from, workspaceId, to });

async function insert(ownerId: string, name: string, grants: Grant[] = []): Promise<OwnPersona> {
  const extras = { hasCard: true, hasPicture: true, limit: 2, now: rig.now() };
  const fusion = { members: [{ id: newId(), name: 'A private one', weight: 1 }] };
  const made = await rig.personas.insert(ownerId, fieldsOf({ name }), { ...extras, fusion });
  if (!made) throw new Error('There is no room for the persona.');
  await rig.cards.insert(made, CARD);
  const shared =
    grants.length > 0 && (await rig.personas.replaceGrants(made, { from: [], to: grants }));
  return shared || made;
}

const theWorkspace = (): Grant => ({ principal: workspacePrincipal(workspaceId), role: 'viewer' });
const namesOf = async (userId: string) => (await rig.personas.list(userId)).map(({ name }) => name);

it('gives what is shared with the workspace to the next owner, beyond the limit of a plan, and nothing else', async () => {
  for (const name of ['Own 1', 'Own 2']) await insert(to, name);
  const heir: Grant = { principal: userPrincipal(to), role: 'editor' };
  const shared = await insert(from, 'Shared', [theWorkspace(), heir]);
  await insert(from, 'Private');
  expect(await forWorkspaces(rig.personas).countShared(from, workspaceId)).toBe(1);
  await handOver(rig, given());
  expect(await namesOf(from)).toEqual(['Private']);
  expect((await namesOf(to)).toSorted()).toEqual(['Own 1', 'Own 2', 'Shared']);
  const now = await rig.personas.find({ id: shared.id, ownerId: to });
  expect(now?.grants).toEqual([theWorkspace()]);
  expect(now).not.toHaveProperty('fusion');
  expect(await rig.cards.pictureOf({ id: shared.id, ownerId: to })).toEqual(CARD.picture);
  expect(rig.events).toContainEqual({
    userId: from,
    event: 'persona:deleted',
    payload: { id: shared.id },
  });
  // No further one until there is room again.
  await expect(insert(to, 'One more')).rejects.toThrow('no room');
});

it('can be repeated after a crash at each step, also by two calls at once', async () => {
  const shared = await insert(from, 'Shared', [theWorkspace()]);
  const cut = () => Promise.reject(new Error('cut'));
  for (const fault of [
    { cards: { ...rig.cards, giveTo: cut } },
    { personas: { ...rig.personas, giveTo: cut } },
  ]) {
    await expect(handOver({ ...rig, ...fault }, given())).rejects.toThrow('cut');
    expect(await forWorkspaces(rig.personas).countShared(from, workspaceId)).toBe(1);
  }
  await Promise.all([handOver(rig, given()), handOver(rig, given())]);
  const key = { id: shared.id, ownerId: to };
  expect(await rig.personas.find(key)).toMatchObject({ name: 'Shared', hasPicture: true });
  expect(await rig.cards.find(key)).toMatchObject(CARD);
});

it('gives each a place of its own when several are given to one user at once', async () => {
  const [other, second] = [newId(), { principal: workspacePrincipal(workspaceId), role: 'editor' }];
  await insert(from, 'One', [theWorkspace()]);
  await insert(other, 'Two', [second as Grant]);
  await Promise.all([handOver(rig, given()), handOver(rig, { ...given(), from: other })]);
  expect((await namesOf(to)).toSorted()).toEqual(['One', 'Two']);
});

it.each(['handed over', 'handed over and still shared', 'deleted'])(
  'leaves empty what an export has listed when it is %s meanwhile',
  async (how) => {
    const own: Grant = { principal: userPrincipal(from), role: 'viewer' };
    const { id } = await insert(from, 'Shared', [
      theWorkspace(),
      ...(how === 'handed over and still shared' ? [own] : []),
    ]);
    const entries: ExportEntry[] = [];
    for await (const entry of exportPersonas(rig, from)) entries.push(entry);
    expect(entries.map(({ path }) => path)).toEqual([
      'personas/Shared.json',
      'personas/Shared.png',
    ]);
    if (how === 'deleted') await deletePersona(rig, actorOf(from), id);
    else await handOver(rig, given());
    for (const { open } of entries) expect(await open()).toBeNull();
  },
);
