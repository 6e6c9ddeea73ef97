import type { PersonaFields } from '../../contract/personas.ts';
import { invalidField } from '../../errors.ts';
import type { PersonasFeature } from './feature.ts';

// A persona names a model of the operator and files of the owner, both of which may have been removed since.

type Knowledge = PersonaFields['knowledge'];
type Models = Pick<PersonasFeature, 'offeredModels'>;

export const isOffered = ({ offeredModels }: Models, model: string): boolean =>
  offeredModels.includes(model);

/**
 * @param former the model that the persona already names, which may no longer be offered
 * @throws AppError invalid_field
 */
export function requireModel(
  personas: Models,
  model: string | null,
  former: string | null = null,
): void {
  if (model !== null && model !== former && !isOffered(personas, model)) throw modelMissing();
}

export const withOfferedModel = (personas: Models, fields: PersonaFields): PersonaFields =>
  fields.model === null || isOffered(personas, fields.model) ? fields : { ...fields, model: null };

/**
 * `known` has the files that the persona already names, which may have been deleted since.
 * @throws AppError invalid_field for other files that the owner does not have
 */
export async function requireFiles(
  personas: PersonasFeature,
  ownerId: string,
  { knowledge, known = [] }: { knowledge: Knowledge; known?: Knowledge },
): Promise<void> {
  const former = new Set(filesOf(known));
  const missing = await missingFiles(personas, ownerId, knowledge);
  if ([...missing].some((id) => !former.has(id))) throw fileMissing();
}

/** The fields without knowledge of deleted files, and without a model that is no longer offered. */
export async function withoutMissing(
  personas: PersonasFeature,
  ownerId: string,
  fields: PersonaFields,
): Promise<PersonaFields> {
  const missing = await missingFiles(personas, ownerId, fields.knowledge);
  const knowledge = fields.knowledge.filter(({ fileId = '' }) => !missing.has(fileId));
  return { ...withOfferedModel(personas, fields), knowledge };
}

/** The ids of deleted files and files of other users. */
async function missingFiles(
  { others }: PersonasFeature,
  ownerId: string,
  knowledge: Knowledge,
): Promise<Set<string>> {
  const ids = filesOf(knowledge);
  const own = ids.length > 0 ? await others.files.findMany(ownerId, ids) : [];
  const found = new Set(own.map(({ id }) => id));
  return new Set(ids.filter((id) => !found.has(id)));
}

const filesOf = (knowledge: Knowledge): string[] => [
  ...new Set(knowledge.flatMap(({ fileId }) => fileId ?? [])),
];

const fileMissing = () =>
  invalidField(
    'knowledge',
    'A file of this persona was deleted, or is not shared with you. Choose another one.',
  );

const modelMissing = () => invalidField('model', 'This model is not offered. Choose another one.');
