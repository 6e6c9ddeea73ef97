import { expect, it } from 'vitest';
import { migrate } from '../../db/migrate.ts';
import { exportCard } from './cards/card-files.ts';
import { createPersona, deletePersona, listPersonas, removeAllOf } from './edit.ts';
import { cardsApart } from './migrations.ts';
import { getPersona } from './open.ts';
import { actorOf, fieldsOf, openPersonas } from './personas.fixture.ts';

const rig = await openPersonas();

const json = Buffer.from('{"card":{"spec":"chara_card_v3","data":{"nickname":"ö"}}}');
const picture = Buffer.from('picture');

const importedBy = (actor: ReturnType<typeof actorOf>) =>
  createPersona(rig, actor, { fields: fieldsOf(), card: { json, picture } });

const countOf = (ownerId: string) => rig.models.cards.countDocuments({ ownerId });

it('keeps the card apart from the persona, which says that it has one', async () => {
  const actor = actorOf();
  const { id } = await importedBy(actor);
  const stored = await rig.models.personas.collection.findOne({ slot: 0, name: 'Ada' });
  expect(Object.keys(stored ?? {})).not.toContain('card');
  expect(await rig.cards.find({ id, ownerId: actor.userId })).toEqual({ json, picture });
  expect((await listPersonas(rig, actor))[0]).toMatchObject({
    hasCard: true,
    pictureUrl: `/api/personas/${id}/picture`,
  });
});

it('removes the card with its persona and with its owner', async () => {
  const actor = actorOf();
  const { id } = await importedBy(actor);
  await deletePersona(rig, actor, id);
  expect(await countOf(actor.userId)).toBe(0);
  await importedBy(actor);
  await removeAllOf(rig, actor.userId);
  expect(await countOf(actor.userId)).toBe(0);
});

it('removes no card of another owner', async () => {
  const [ada, ben] = [actorOf(), actorOf()];
  const { id } = await importedBy(ben);
  await importedBy(ada);
  await rig.cards.remove({ id, ownerId: ada.userId });
  await removeAllOf(rig, ada.userId);
  expect([await countOf(ada.userId), await countOf(ben.userId)]).toEqual([0, 1]);
});

it('leaves no persona when its card cannot be stored', async () => {
  const actor = actorOf();
  const refused = {
    ...rig,
    cards: { ...rig.cards, insert: () => Promise.reject(new Error('full')) },
  };
  const attempt = createPersona(refused, actor, { fields: fieldsOf(), card: { json } });
  await expect(attempt).rejects.toThrow('full');
  expect((await listPersonas(rig, actor)).filter(({ isReadyMade }) => !isReadyMade)).toEqual([]);
});

it('exports a persona whose process died before it stored the card', async () => {
  const actor = actorOf();
  const { id } = await importedBy(actor);
  await rig.cards.remove({ id, ownerId: actor.userId });
  const { content } = await exportCard(rig, actor, { id, format: 'v3' });
  expect(JSON.parse(String(content))).toMatchObject({ data: { name: 'Ada' } });
});

it.each([
  ['a string', String(json)],
  ['bytes', json],
])('moves a card that an earlier version stored in the persona as %s', async (_, former) => {
  const actor = actorOf();
  const key = {
    id: (await createPersona(rig, actor, { fields: fieldsOf() })).id,
    ownerId: actor.userId,
  };
  await rig.models.personas.collection.updateOne(
    { ownerId: (await rig.models.personas.findById(key.id))?.ownerId },
    { $set: { card: former, picture } },
  );
  await migrate(rig.models.personas.db, [cardsApart]);
  await cardsApart.run(rig.models.personas.db);
  expect(await rig.cards.find(key)).toEqual({ json, picture });
  expect(await getPersona(rig, actor, key.id)).toMatchObject({ hasCard: true, hasPicture: true });
  const stored = await rig.models.personas.collection.findOne({ card: { $exists: true } });
  expect(stored).toBeNull();
});
