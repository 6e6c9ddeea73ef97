import type { ContextContributor } from '../context.ts';
import { findForReply } from './choose.ts';
import { askedFiles, compilePersona } from './compile/compile.ts';
import type { PersonasFeature } from './feature.ts';
import { isOffered } from './references.ts';

/** A key of knowledge matches when it occurs in one of this number of last messages. */
const LAST_MESSAGES = 4;

/** Adds the persona that the send chose to the prompt, in its current version. */
export const personaContributor = (personas: PersonasFeature): ContextContributor => ({
  name: 'persona',
  contribute: async ({ ownerId, path, persona: chosen }) => {
    if (!chosen) return undefined;
    const persona = await findForReply(personas, ownerId, chosen.id);
    if (!persona)
      return { text: '', cut: 'The persona was deleted, or is no longer shared.', persona: null };
    const messages = path.slice(-LAST_MESSAGES).map(({ content }) => content);
    const { id, name, version, model } = persona;
    return {
      text: compilePersona(persona, messages),
      fileIds: askedFiles(persona, messages),
      ...(model !== null && { model: { name: model, isOffered: isOffered(personas, model) } }),
      ...(version !== chosen.version && { persona: { id, name, version } }),
    };
  },
});
