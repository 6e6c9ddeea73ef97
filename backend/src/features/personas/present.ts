import { type Actor, roleIn } from '../../access/index.ts';
import { type Persona, PersonaFields, type PersonaSummary } from '../../contract/personas.ts';
import { notFound } from '../../errors.ts';
import { ownersOf, readerOf } from '../record-grants.ts';
import type { PersonaRecord, SummaryRecord } from './model.ts';
import type { OpensPersonas } from './open.ts';

/** Absent for a ready-made persona, and for one that is shared with nobody. */
type Shared = PersonaSummary['shared'];

/** A persona without its long texts. Only its owner sees of which private personas it was fused. */
export const presentSummary = (record: SummaryRecord, shared?: Shared): PersonaSummary => ({
  id: record.id,
  version: record.version,
  name: record.name,
  role: record.role,
  avatar: record.avatar,
  greeting: record.greeting,
  depth: record.depth,
  isReadyMade: record.ownerId === null,
  hasCard: record.hasCard && shared?.role !== 'viewer',
  ...(record.hasPicture && { pictureUrl: `/api/personas/${record.id}/picture` }),
  ...(record.fusion && (shared?.role ?? 'owner') === 'owner' && { fusion: record.fusion }),
  ...(shared && { shared }),
  createdAt: record.createdAt.toISOString(),
  updatedAt: record.updatedAt.toISOString(),
});

/** A persona with its texts; viewers get only those that are shown. */
export function presentPersona(record: PersonaRecord, shared?: Shared): Persona {
  const { ownerId: _ownerId, hasPicture: _hasPicture, grants: _grants, fusion: _, ...own } = record;
  const { name, description, model } = own;
  const fields =
    shared?.role === 'viewer' ? PersonaFields.parse({ name, description, model }) : own;
  return { ...fields, ...presentSummary(record, shared) };
}

/** Personas without their long texts, as the user may see them. */
export const presentAll = (
  personas: OpensPersonas,
  actor: Pick<Actor, 'userId'>,
  records: readonly SummaryRecord[],
): Promise<PersonaSummary[]> => presentEach(personas, actor, records, presentSummary);

/** A persona with its texts, as the user may see it. */
export async function presentTo(
  personas: OpensPersonas,
  actor: Pick<Actor, 'userId'>,
  record: PersonaRecord,
): Promise<Persona> {
  const [presented] = await presentEach(personas, actor, [record], presentPersona);
  // Access may have ended meanwhile.
  if (!presented) throw notFound('persona');
  return presented;
}

/** Leaves out those that the user may not see any more. */
async function presentEach<R extends SummaryRecord, P>(
  personas: OpensPersonas,
  { userId }: Pick<Actor, 'userId'>,
  records: readonly R[],
  present: (record: R, shared?: Shared) => P,
): Promise<P[]> {
  const others = records.some(({ ownerId }) => ownerId !== null && ownerId !== userId);
  const reader = others ? await readerOf(personas.others, userId) : { userId };
  const ownerOf = await ownersOf(personas, records.flatMap(sharedOf));
  return records.flatMap((record) => {
    const [shared] = sharedOf(record);
    const owner = shared && ownerOf(shared);
    if (!owner) return [present(record)];
    const role = roleIn(reader, shared);
    return role ? [present(record, { role, owner })] : [];
  });
}

const sharedOf = ({ ownerId, grants = [] }: SummaryRecord) =>
  ownerId !== null && grants.length > 0 ? [{ ownerId, grants }] : [];
