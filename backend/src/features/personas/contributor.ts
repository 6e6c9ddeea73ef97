import type { ContextContributor } from '../context.ts';
import { askedFiles, LAST_MESSAGES } from './asked-files.ts';
import { compilePersona } from './compile/compile.ts';
import type { PersonaRecord } from './model.ts';

interface ContributorDeps {
  findForReply: (ownerId: string, id: string) => Promise<PersonaRecord | null>;
  /** Whether a persona may name the model. */
  isOffered: (model: string) => boolean;
}

/** Gives replies the persona that their send chose, as it is now. */
export const createPersonaContributor = ({
  findForReply,
  isOffered,
}: ContributorDeps): ContextContributor => ({
  name: 'persona',
  contribute: async ({ ownerId, path, persona: chosen }) => {
    if (!chosen) return undefined;
    const persona = await findForReply(ownerId, chosen.id);
    if (!persona) return { text: '', cut: 'The persona was deleted.', persona: null };
    const messages = path.slice(-LAST_MESSAGES).map(({ content }) => content);
    const { id, name, version, model } = persona;
    return {
      text: compilePersona(persona, messages),
      fileIds: askedFiles(persona, messages),
      ...(model !== null && { model: { name: model, isOffered: isOffered(model) } }),
      ...(version !== chosen.version && { persona: { id, name, version } }),
    };
  },
});
