import { expect, it } from 'vitest';
import { aUser, testCore } from '../../../test/core.ts';
import { PersonaFields } from '../../contract/personas.ts';
import { createPersona, deletePersona, updatePersona } from './edit.ts';
import { getPersona } from './open.ts';

it('returns a persona to its owner only', async () => {
  const core = await testCore();
  const { personas } = core.services;
  const [ada, ben] = [await aUser(core, { plan: 'starter' }), await aUser(core)];
  const { id, version } = await createPersona(personas, ada, {
    fields: PersonaFields.parse({ name: 'Keeper' }),
  });
  const missing = { code: 'not_found' };
  await expect(getPersona(personas, ben, id)).rejects.toMatchObject(missing);
  await expect(
    updatePersona(personas, ben, { id, body: { version, name: 'Mine' } }),
  ).rejects.toMatchObject(missing);
  await expect(deletePersona(personas, ben, id)).rejects.toMatchObject(missing);
  expect(await getPersona(personas, ada, id)).toMatchObject({ name: 'Keeper' });
  expect(core.events.filter(({ event }) => event.startsWith('persona:'))).toEqual([
    { userId: ada.userId, event: 'persona:summary', payload: expect.objectContaining({ id }) },
  ]);
});
