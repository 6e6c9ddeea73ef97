import { askedFiles, compilePersona, MAX_PROMPT_TOKENS } from './compile/compile.ts';
import type { PersonasFeature } from './feature.ts';
import type { PersonaRecord } from './model.ts';
import { findPersona } from './open.ts';

type Stores = Pick<PersonasFeature, 'personas' | 'drafts' | 'others'>;

/** As `findPersona`, or a draft, which conversations of trials have. */
export const findForReply = async (
  personas: Stores,
  ownerId: string,
  id: string,
): Promise<PersonaRecord | null> =>
  (await findPersona(personas, ownerId, id)) ?? personas.drafts.find({ id, ownerId });

/**
 * The persona of a send, or a draft, for the chat. `members` are the current members of a user's own fusion, highest weight first, when two
 * or more are left.
 */
export async function choosePersona(personas: PersonasFeature, ownerId: string, id: string) {
  const own = await findPersona(personas, ownerId, id);
  const persona = own ?? (await personas.drafts.find({ id, ownerId }));
  if (!persona) return null;
  // Others do not see of which personas it was fused.
  const members = own?.ownerId === ownerId ? await panelOf(personas, ownerId, own) : [];
  return {
    ...chosenOf(personas, ownerId, persona),
    ...(members.length > 1 && { members }),
    ...(!own && { isDraft: true }),
  };
}

/** The members of a fusion that answer in a panel: those with a weight above 0 that were not deleted. */
async function panelOf(personas: PersonasFeature, ownerId: string, { fusion }: PersonaRecord) {
  const ranked = (fusion?.members ?? [])
    .filter(({ weight }) => weight > 0)
    .toSorted((a, b) => b.weight - a.weight);
  const found = await Promise.all(ranked.map(({ id }) => findPersona(personas, ownerId, id)));
  return found.flatMap((persona) => (persona ? chosenOf(personas, ownerId, persona) : []));
}

function chosenOf({ others }: PersonasFeature, ownerId: string, persona: PersonaRecord) {
  const { id, name, version, knowledge } = persona;
  return {
    id,
    name,
    version,
    hasFiles: knowledge.some(({ fileId }) => fileId !== undefined),
    measure: async (messages: readonly string[]) => ({
      promptBytes: promptBytesOf(persona),
      files: await others.files.sizeOf(ownerId, askedFiles(persona, messages)),
    }),
  };
}

/** A token has at most four bytes of English, and three by the estimate of reservations. */
const MAX_PROMPT_BYTES = MAX_PROMPT_TOKENS * 3;

const promptBytesOf = (persona: PersonaRecord): number =>
  Math.min(MAX_PROMPT_BYTES, Buffer.byteLength(compilePersona(persona, 'all')));
