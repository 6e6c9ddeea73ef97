import { expect, it } from 'vitest';
import { aUser, testCore } from '../../../test/core.ts';
import { PersonaFields } from '../../contract/personas.ts';

it('keeps a persona from every user but its owner', async () => {
  const core = await testCore();
  const { personas } = core.services;
  const [ada, ben] = [await aUser(core, { plan: 'starter' }), await aUser(core)];
  const { id, version } = await personas.create(ada, PersonaFields.parse({ name: 'Keeper' }));
  const missing = { code: 'not_found' };
  await expect(personas.get(ben, id)).rejects.toMatchObject(missing);
  await expect(personas.update(ben, id, { version, name: 'Mine' })).rejects.toMatchObject(missing);
  await expect(personas.remove(ben, id)).rejects.toMatchObject(missing);
  expect(await personas.get(ada, id)).toMatchObject({ name: 'Keeper' });
  expect(core.events.filter(({ event }) => event.startsWith('persona:'))).toEqual([
    { userId: ada.userId, event: 'persona:changed', payload: expect.objectContaining({ id }) },
  ]);
});
