import type { PersonaFields } from '../../contract/personas.ts';
import { AppError } from '../../errors.ts';

export interface ReferencesDeps {
  /** Those of the ids that are files of the owner. */
  ownFiles: (ownerId: string, ids: string[]) => Promise<string[]>;
  /** Those that a persona may name; the first is the default. */
  models: readonly string[];
}

/** What the fields of a persona name: a model of the operator, and files of the owner. Either may be gone since. */
export function createReferences({ ownFiles, models }: ReferencesDeps) {
  const isOffered = (model: string): boolean => models.includes(model);

  /** Those of the files that were deleted, or belong to others. */
  const missingFiles = async (ownerId: string, knowledge: Knowledge): Promise<Set<string>> => {
    const ids = filesOf(knowledge);
    const own = new Set(ids.length > 0 ? await ownFiles(ownerId, ids) : []);
    return new Set(ids.filter((id) => !own.has(id)));
  };

  /** `known` has files that the persona has already: they may have been deleted since. */
  const requireFiles = async (ownerId: string, knowledge: Knowledge, known: Knowledge = []) => {
    const former = new Set(filesOf(known));
    const missing = await missingFiles(ownerId, knowledge);
    if ([...missing].some((id) => !former.has(id))) throw fileMissing();
  };

  /** `former` is what the persona names already: it may not be offered any more. */
  const requireModel = (model: string | null, former: string | null = null): void => {
    if (model !== null && model !== former && !isOffered(model)) throw modelMissing();
  };

  const withOfferedModel = (fields: PersonaFields): PersonaFields =>
    fields.model === null || isOffered(fields.model) ? fields : { ...fields, model: null };

  /** Without knowledge whose file was deleted, and without a model that is not offered any more. */
  const withoutMissing = async (ownerId: string, fields: PersonaFields): Promise<PersonaFields> => {
    const missing = await missingFiles(ownerId, fields.knowledge);
    const knowledge = fields.knowledge.filter(({ fileId = '' }) => !missing.has(fileId));
    return { ...withOfferedModel(fields), knowledge };
  };

  return { isOffered, requireModel, withOfferedModel, requireFiles, withoutMissing };
}

type Knowledge = PersonaFields['knowledge'];

const filesOf = (knowledge: Knowledge): string[] => [
  ...new Set(knowledge.flatMap(({ fileId }) => fileId ?? [])),
];

const fileMissing = () =>
  new AppError('invalid_field', 'A file of this persona was deleted. Choose another one.', {
    details: { field: 'knowledge' },
  });

const modelMissing = () =>
  new AppError('invalid_field', 'This model is not offered. Choose another one.', {
    details: { field: 'model' },
  });
