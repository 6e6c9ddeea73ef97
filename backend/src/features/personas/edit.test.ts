import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { userPrincipal } from '../../access/index.ts';
import { READY_MADE_ID } from '../../contract/limits.ts';
import { PersonaFields, UpdatePersonaBody } from '../../contract/personas.ts';
import { choosePersona, findForReply } from './choose.ts';
import {
  createPersona,
  deletePersona,
  draftPersona,
  duplicatePersona,
  listPersonas,
  removeAllOf,
  updatePersona,
} from './edit.ts';
import { getPersona } from './open.ts';
import { actorOf, fieldsOf, newId, openPersonas } from './personas.fixture.ts';
import { READY_MADE } from './ready-made/index.ts';

let rig: Awaited<ReturnType<typeof openPersonas>>;
beforeAll(async () => {
  rig = await openPersonas();
});
beforeEach(() => {
  rig.plan.personas = 3;
  rig.events.length = 0;
});

const own = async (actor: ReturnType<typeof actorOf>) =>
  (await listPersonas(rig, actor)).filter(({ isReadyMade }) => !isReadyMade);
const READY = READY_MADE[0]?.id ?? '';

describe('the list', () => {
  it('has the user’s personas and six ready-made ones, and none of others', async () => {
    const actor = actorOf();
    const made = await createPersona(rig, actor, { fields: fieldsOf() });
    await createPersona(rig, actorOf(), { fields: fieldsOf({ name: 'Not mine' }) });
    const list = await listPersonas(rig, actor);
    expect(made).toMatchObject({ ...list[0] });
    expect(list.slice(1).map(({ isReadyMade }) => isReadyMade)).toEqual(Array(6).fill(true));
  });

  it('has the last changed ones first, without the texts that may be long', async () => {
    const actor = actorOf();
    const texts = {
      description: 'LONG',
      instructions: 'LONG',
      knowledge: [{ keys: ['owl'], text: 'LONG' }],
      do: [{ topic: '', text: 'LONG' }],
      dont: [{ topic: '', text: 'LONG' }],
      examples: [{ user: 'LONG', assistant: 'LONG' }],
    };
    const first = await createPersona(rig, actor, { fields: fieldsOf({ ...texts, name: 'A' }) });
    await createPersona(rig, actor, { fields: fieldsOf({ ...texts, name: 'B' }) });
    const namesOf = async () => (await own(actor)).map(({ name }) => name);
    expect(await namesOf()).toEqual(['B', 'A']);
    await updatePersona(rig, actor, { id: first.id, body: { version: 1, greeting: 'Hoot?' } });
    expect(await namesOf()).toEqual(['A', 'B']);
    const listed = await listPersonas(rig, actor);
    expect(JSON.stringify(listed)).not.toContain('LONG');
    expect(listed.filter((persona) => 'instructions' in persona)).toEqual([]);
    expect(listed[0]).toMatchObject({ version: 2, greeting: 'Hoot?' });
  });

  it('has the ready-made ones in a language, and in English where they are not in it', async () => {
    const namesIn = async (language?: string) =>
      (await listPersonas(rig, actorOf(), language)).map(({ name }) => name);
    expect(await namesIn()).toContain('Critic');
    expect(await namesIn('de')).toEqual([
      'Lektor',
      'Tutor',
      'Analyst',
      'Kritiker',
      'Entwickler',
      'Erzähler',
    ]);
    expect(await namesIn('constructor')).toEqual(await namesIn('en'));
    expect(new Set(READY_MADE.map(({ id }) => id)).size).toBe(12);
  });

  it('has ready-made ones that keep to the limits of texts', () => {
    for (const { id } of READY_MADE) expect(id).toMatch(READY_MADE_ID);
    for (const persona of READY_MADE) expect(PersonaFields.safeParse(persona).success).toBe(true);
  });
});

describe('the limit of the plan', () => {
  it.each([1, 3])('of %i is kept when many are made at once', async (limit) => {
    rig.plan.personas = limit;
    const actor = actorOf();
    const results = await Promise.allSettled(
      Array.from({ length: 12 }, (_, at) =>
        createPersona(rig, actor, { fields: fieldsOf({ name: `P${at}` }) }),
      ),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(limit);
    const refused = results.find(({ status }) => status === 'rejected');
    expect(refused).toMatchObject({ reason: { code: 'persona_limit', details: { limit } } });
    expect(await own(actor)).toHaveLength(limit);
  });

  it('is 500 when the plan has none', async () => {
    rig.plan.personas = null;
    const actor = actorOf();
    const { name, ...fields } = fieldsOf();
    const at = new Date();
    await rig.models.personas.insertMany(
      Array.from({ length: 499 }, (_, slot) => ({
        ownerId: actor.userId,
        slot,
        version: 1,
        name,
        fields,
        createdAt: at,
        updatedAt: at,
      })),
    );
    await createPersona(rig, actor, { fields: fieldsOf() });
    await expect(createPersona(rig, actor, { fields: fieldsOf() })).rejects.toMatchObject({
      details: { limit: 500 },
    });
  });

  it('counts existing ones after a downgrade, and frees a slot after a deletion', async () => {
    const actor = actorOf();
    for (const name of ['A', 'B', 'C'])
      await createPersona(rig, actor, { fields: fieldsOf({ name }) });
    rig.plan.personas = 1;
    const [last, , first] = await own(actor);
    await deletePersona(rig, actor, first?.id ?? '');
    await expect(createPersona(rig, actor, { fields: fieldsOf() })).rejects.toMatchObject({
      code: 'persona_limit',
    });
    rig.plan.personas = 3;
    expect(await duplicatePersona(rig, actor, last?.id ?? '')).toMatchObject({ name: 'C (copy)' });
  });

  it('names a duplicate in the language of the interface', async () => {
    const actor = actorOf();
    const inLanguage = async (language: string) => {
      const { id, name } = await duplicatePersona(rig, actor, READY, language);
      await deletePersona(rig, actor, id);
      return name;
    };
    const names = await Promise.all(['de', 'fr', 'constructor'].map(inLanguage));
    expect(names).toEqual(['Editor (Kopie)', 'Editor (copy)', 'Editor (copy)']);
  });

  it('counts no ready-made ones, and their duplicates', async () => {
    rig.plan.personas = 1;
    const actor = actorOf();
    const copy = await duplicatePersona(rig, actor, READY);
    expect(copy).toMatchObject({ name: 'Editor (copy)', isReadyMade: false, version: 1 });
    await expect(duplicatePersona(rig, actor, READY)).rejects.toMatchObject({
      code: 'persona_limit',
    });
  });
});

describe('changing a persona', () => {
  it("changes the named fields, raises its version and notifies the user's tabs", async () => {
    const actor = actorOf();
    const made = await createPersona(rig, actor, { fields: fieldsOf({ tone: ['calm'] }) });
    const [listed] = await own(actor);
    const changed = await updatePersona(rig, actor, {
      id: made.id,
      body: { version: 1, role: 'A poet' },
    });
    expect(changed).toEqual({ ...made, version: 2, role: 'A poet', updatedAt: changed.updatedAt });
    expect(rig.events).toEqual([
      { userId: actor.userId, event: 'persona:summary', payload: listed },
      { userId: actor.userId, event: 'persona:summary', payload: (await own(actor))[0] },
    ]);
  });

  it('of two changes of the same version refuses one', async () => {
    const actor = actorOf();
    const { id } = await createPersona(rig, actor, { fields: fieldsOf() });
    const results = await Promise.allSettled(
      ['A', 'B'].map((name) => updatePersona(rig, actor, { id, body: { version: 1, name } })),
    );
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(results.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'version_conflict', details: { version: 2 } },
    });
  });

  it('of another user, or one that is ready-made, is refused', async () => {
    const { id } = await createPersona(rig, actorOf(), { fields: fieldsOf() });
    const stranger = actorOf();
    const missing = { code: 'not_found' };
    await expect(getPersona(rig, stranger, id)).rejects.toMatchObject(missing);
    const change = { version: 1, name: 'Mine' };
    await expect(updatePersona(rig, stranger, { id, body: change })).rejects.toMatchObject(missing);
    await expect(deletePersona(rig, stranger, id)).rejects.toMatchObject(missing);
    await expect(duplicatePersona(rig, stranger, id)).rejects.toMatchObject(missing);
    expect(await choosePersona(rig, stranger.userId, id)).toBeNull();
    const owner = actorOf().userId;
    const json = Buffer.from('{}');
    const withCard = await createPersona(rig, actorOf(owner), {
      fields: fieldsOf(),
      card: { json },
    });
    expect(await rig.cards.find({ id: withCard.id, ownerId: owner })).toEqual({ json });
    expect(await rig.cards.find({ id: withCard.id, ownerId: stranger.userId })).toBeNull();
    const readyMade = { code: 'forbidden' };
    await expect(updatePersona(rig, stranger, { id: READY, body: change })).rejects.toMatchObject(
      readyMade,
    );
    await expect(deletePersona(rig, stranger, READY)).rejects.toMatchObject(readyMade);
    expect((await rig.models.personas.findById(id))?.name).toBe('Ada');
  });
});

describe('knowledge', () => {
  it('may name files of the owner only', async () => {
    const actor = actorOf();
    const fileId = newId();
    const withFile = fieldsOf({ knowledge: [{ keys: ['rent'], fileId }] });
    const refused = { code: 'invalid_field', details: { field: 'knowledge' } };
    await expect(createPersona(rig, actor, { fields: withFile })).rejects.toMatchObject(refused);
    const { id } = await createPersona(rig, actor, { fields: fieldsOf() });
    const change = { version: 1, knowledge: withFile.knowledge };
    await expect(updatePersona(rig, actor, { id, body: change })).rejects.toMatchObject(refused);
    rig.files.set(fileId, actor.userId);
    expect(await updatePersona(rig, actor, { id, body: change })).toMatchObject(
      change.knowledge ? { knowledge: withFile.knowledge } : {},
    );
  });

  it('of a deleted file does not prevent changes, and is left out of copies', async () => {
    const actor = actorOf();
    const fileId = newId();
    rig.files.set(fileId, actor.userId);
    const { knowledge } = fieldsOf({ knowledge: [{ keys: ['rent'], fileId }] });
    const { id } = await createPersona(rig, actor, { fields: fieldsOf({ knowledge }) });
    rig.files.delete(fileId);
    const changed = await updatePersona(rig, actor, {
      id,
      body: {
        version: 1,
        knowledge,
        role: 'A keeper',
      },
    });
    expect(changed).toMatchObject({ role: 'A keeper', knowledge });
    expect(await duplicatePersona(rig, actor, id)).toMatchObject({ knowledge: [] });
  });
});

describe('deleting', () => {
  it("removes it and notifies the user's tabs", async () => {
    const actor = actorOf();
    const kept = await createPersona(rig, actor, { fields: fieldsOf() });
    const { id } = await createPersona(rig, actor, { fields: fieldsOf() });
    await deletePersona(rig, actor, id);
    expect((await own(actor)).map((one) => one.id)).toEqual([kept.id]);
    expect(rig.events.at(-1)).toEqual({
      userId: actor.userId,
      event: 'persona:deleted',
      payload: { id },
    });
    await expect(deletePersona(rig, actor, id)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('of a user erases only theirs', async () => {
    const [actor, other] = [actorOf(), actorOf()];
    await createPersona(rig, actor, { fields: fieldsOf() });
    await createPersona(rig, other, { fields: fieldsOf() });
    await removeAllOf(rig, actor.userId);
    expect(await own(actor)).toEqual([]);
    expect(await own(other)).toHaveLength(1);
  });
});

describe('texts', () => {
  it.each([
    ['name', ''],
    ['name', ' '.repeat(3)],
    ['name', 'a'.repeat(81)],
    ['instructions', 'a'.repeat(8_001)],
    ['traits', { warmth: 101, formality: 0, verbosity: 0, directness: 0, humour: 0 }],
    ['tone', Array(7).fill('calm')],
    ['do', Array.from({ length: 13 }, () => ({ topic: 'a', text: 'b' }))],
    ['knowledge', [{ keys: [], text: 'a' }]],
    ['knowledge', [{ keys: ['a'] }]],
    ['knowledge', [{ keys: ['a'], text: 'a', fileId: newId() }]],
  ])('have limits: %s', (field, value) => {
    expect(PersonaFields.safeParse({ name: 'Ada', [field]: value }).success).toBe(false);
    expect(UpdatePersonaBody.safeParse({ version: 1, [field]: value }).success).toBe(false);
  });

  it('that are absent in a change stay', () => {
    expect(UpdatePersonaBody.parse({ version: 1 })).toEqual({ version: 1 });
  });
});

describe('the model of a persona', () => {
  it('is one of those that are offered, in a new one and in a change', async () => {
    const actor = actorOf();
    const refused = { code: 'invalid_field', details: { field: 'model' } };
    const make = (model: string | null) =>
      createPersona(rig, actor, { fields: fieldsOf({ model }) });
    await expect(make('dear-1')).rejects.toMatchObject(refused);
    const { id, model } = await make('owl-1');
    expect(model).toBe('owl-1');
    const change = (version: number, to: string | null) =>
      updatePersona(rig, actor, { id, body: { version, model: to } });
    await expect(change(1, 'dear-1')).rejects.toMatchObject(refused);
    expect(await change(1, null)).toMatchObject({ version: 2, model: null });
  });

  it('that is no longer offered stays in changes, and is left out of copies and drafts', async () => {
    const actor = actorOf();
    rig.offeredModels.push('gone');
    const made = await createPersona(rig, actor, { fields: fieldsOf({ model: 'gone' }) });
    rig.offeredModels.pop();
    const changes = { version: 1, name: 'Grace', model: 'gone' };
    const changed = await updatePersona(rig, actor, { id: made.id, body: changes });
    expect(changed).toMatchObject({ name: 'Grace', model: 'gone' });
    expect(await duplicatePersona(rig, actor, made.id)).toMatchObject({ model: null });
    const { id } = await draftPersona(rig, actor, PersonaFields.parse(changed));
    expect(await findForReply(rig, actor.userId, id)).toMatchObject({ model: null });
  });

  it('is the default one in personas of earlier versions', async () => {
    const actor = actorOf();
    const { id } = await createPersona(rig, actor, { fields: fieldsOf() });
    await rig.models.personas.updateOne({ _id: id }, { $unset: { 'fields.model': 1 } });
    expect(await getPersona(rig, actor, id)).toMatchObject({ model: null });
  });
});

it('measures the files of its knowledge that messages ask for', async () => {
  const actor = actorOf();
  const fileId = newId();
  rig.files.set(fileId, actor.userId);
  const { id } = await createPersona(rig, actor, {
    fields: fieldsOf({ knowledge: [{ keys: ['lease'], fileId }] }),
  });
  const chosen = await choosePersona(rig, actor.userId, id);
  expect(chosen?.hasFiles).toBe(true);
  const asking = await chosen?.measure(['Hello', 'What of the LEASE?']);
  expect(asking?.files).toMatchObject({ textBytes: 900 });
  expect((await chosen?.measure(['Hello']))?.files).toMatchObject({ textBytes: 0 });
  expect((await choosePersona(rig, actor.userId, READY))?.hasFiles).toBe(false);
});

it('answers as a panel in conversations of its owner only: others do not see of which personas it was fused', async () => {
  const [owner, other] = [actorOf(), actorOf()];
  const ids = READY_MADE.slice(0, 2).map(({ id }) => id);
  const members = ids.map((id) => ({ id, name: 'A private choice', weight: 50 }));
  const { id } = await createPersona(rig, owner, { fields: fieldsOf(), fusion: { members } });
  const grant = { principal: userPrincipal(other.userId), role: 'viewer' as const };
  await rig.personas.replaceGrants({ id, ownerId: owner.userId }, { from: [], to: [grant] });
  const membersFor = async ({ userId }: typeof owner) =>
    (await choosePersona(rig, userId, id))?.members?.map((member) => member.id);
  expect(await membersFor(owner)).toEqual(ids);
  expect(await choosePersona(rig, other.userId, id)).toMatchObject({ id });
  expect(await membersFor(other)).toBeUndefined();
});
