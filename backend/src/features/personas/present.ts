import { type Actor, roleIn } from '../../access/index.ts';
import { type Persona, PersonaFields } from '../../contract/personas.ts';
import type { ReaderRole } from '../../contract/roles.ts';
import { notFound } from '../../errors.ts';
import { ownersOf, readerOf } from '../record-grants.ts';
import type { PersonaRecord } from './model.ts';
import type { OpensPersonas } from './open.ts';

/** A persona for its owner, or a ready-made one. */
export const presentPersona = ({
  ownerId,
  createdAt,
  updatedAt,
  hasPicture,
  grants: _grants,
  ...persona
}: PersonaRecord): Persona => ({
  ...persona,
  isReadyMade: ownerId === null,
  ...(hasPicture && { pictureUrl: `/api/personas/${persona.id}/picture` }),
  createdAt: createdAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
});

/** A persona for somebody with this role: others than the owner do not see of which private personas it was fused, viewers no text. */
export function presentFor(record: PersonaRecord, shared: NonNullable<Persona['shared']>): Persona {
  const { fusion, ...persona } = presentPersona(record);
  if (shared.role === 'owner') return { ...persona, ...(fusion && { fusion }), shared };
  if (shared.role !== 'viewer') return { ...persona, shared };
  const { name, role, avatar, description, greeting, depth, model } = persona;
  const shown = PersonaFields.parse({ name, role, avatar, description, greeting, depth, model });
  return { ...persona, ...shown, hasCard: false, shared };
}

/** Personas as the user may see them. */
export async function presentAll(
  personas: OpensPersonas,
  { userId }: Pick<Actor, 'userId'>,
  records: readonly PersonaRecord[],
): Promise<Persona[]> {
  const others = records.some(({ ownerId }) => ownerId !== null && ownerId !== userId);
  const reader = others ? await readerOf(personas.others, userId) : { userId };
  const ownerOf = await ownersOf(personas, records.flatMap(sharedOf));
  return records.flatMap((record) => {
    const [shared] = sharedOf(record);
    const owner = shared && ownerOf(shared);
    if (!owner) return [presentPersona(record)];
    const role: ReaderRole | null = roleIn(reader, shared);
    return role ? [presentFor(record, { role, owner })] : [];
  });
}

/** As `presentAll`, of one. */
export async function presentTo(
  personas: OpensPersonas,
  actor: Pick<Actor, 'userId'>,
  record: PersonaRecord,
): Promise<Persona> {
  const [presented] = await presentAll(personas, actor, [record]);
  // Access may have ended meanwhile.
  if (!presented) throw notFound('persona');
  return presented;
}

const sharedOf = ({ ownerId, grants = [] }: PersonaRecord) =>
  ownerId !== null && grants.length > 0 ? [{ ownerId, grants }] : [];
