import { type Action, type Actor, can } from '../../access/index.ts';
import { AppError, notFound } from '../../errors.ts';
import { openShared, readerOf } from '../record-grants.ts';
import type { PersonasFeature } from './feature.ts';
import type { OwnPersona, PersonaRecord } from './model.ts';
import { READY_MADE } from './ready-made/index.ts';

export type OpensPersonas = Pick<PersonasFeature, 'personas' | 'others'>;
type User = Pick<Actor, 'userId'>;

/**
 * A persona of users for the actor: their own, or one that is shared with them.
 * @throws AppError forbidden for a ready-made one; not_found; forbidden with `role`
 */
export async function openPersona(
  { personas: store, others }: OpensPersonas,
  actor: User,
  { id, action }: { id: string; action: Action },
): Promise<OwnPersona> {
  if (readyMadeOf(id)) throw readyMade();
  return openShared({ others }, actor, { id, action, what: 'persona', store });
}

/**
 * As `openPersona`, or a ready-made one, for what makes a copy of its text: somebody who may only use a persona does not see it.
 * @throws AppError not_found; forbidden with `role`
 */
export const openText = async (
  personas: OpensPersonas,
  actor: User,
  id: string,
): Promise<PersonaRecord> =>
  readyMadeOf(id) ?? openPersona(personas, actor, { id, action: 'write' });

/** A persona that the user may use: their own, a shared or a ready-made one. */
export async function findPersona(
  { personas, others }: OpensPersonas,
  userId: string,
  id: string,
): Promise<PersonaRecord | null> {
  const own = readyMadeOf(id) ?? (await personas.find({ id, ownerId: userId }));
  if (own) return own;
  const shared = await personas.findShared(id);
  return shared && can(await readerOf(others, userId), 'read', shared) ? shared : null;
}

/** @throws AppError not_found */
export async function getPersona(
  personas: OpensPersonas,
  { userId }: User,
  id: string,
): Promise<PersonaRecord> {
  const persona = await findPersona(personas, userId, id);
  if (!persona) throw notFound('persona');
  return persona;
}

const readyMadeOf = (id: string) => READY_MADE.find((persona) => persona.id === id);

const readyMade = () =>
  new AppError('forbidden', 'This persona is ready-made. Duplicate it to change it.');
