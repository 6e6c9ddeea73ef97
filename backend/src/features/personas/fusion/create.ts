import type * as z from 'zod';
import type { Actor } from '../../../access/index.ts';
import {
  type FusePersonasBody,
  type FusionPreview,
  type Persona,
  type PersonaDraft,
  PersonaFields,
} from '../../../contract/personas.ts';
import { countTokens } from '../../../llm/index.ts';
import { MAX_PROMPT_TOKENS, type PersonaService } from '../service.ts';
import { fusePersonas } from './fuse.ts';

type Body = z.output<typeof FusePersonasBody>;

/** Fuses personas of a user and ready-made ones. One of another user answers 404. */
export type PersonaFusion = ReturnType<typeof createFusion>;

type FusionDeps = Pick<PersonaService, 'get' | 'create' | 'draft' | 'withoutMissing'>;

export function createFusion({ get, create, draft, withoutMissing }: FusionDeps) {
  const membersOf = (actor: Actor, { members }: Body) =>
    Promise.all(
      members.map(async ({ id, weight }) => ({
        id,
        weight,
        persona: PersonaFields.parse(await get(actor, id)),
      })),
    );

  return {
    /** @throws AppError not_found */
    preview: async (actor: Actor, body: Body): Promise<FusionPreview> => {
      const { persona: _saved, ...fused } = fusePersonas(await membersOf(actor, body), body.name);
      return { ...fused, tokens: await countTokens(fused.prompt), maxTokens: MAX_PROMPT_TOKENS };
    },

    /** Keeps the fusion for a trial. @throws AppError not_found */
    draft: async (actor: Actor, body: Body): Promise<PersonaDraft> =>
      draft(actor, fusePersonas(await membersOf(actor, body), body.name).persona),

    /** Saves the fusion as a persona, which counts as one. @throws AppError not_found, persona_limit */
    save: async (actor: Actor, body: Body): Promise<Persona> => {
      const members = await membersOf(actor, body);
      const fused = fusePersonas(members, body.name).persona;
      const persona = await withoutMissing(actor.userId, fused);
      const fusion = {
        members: members.map(({ id, weight, persona: { name } }) => ({ id, name, weight })),
      };
      return create(actor, persona, { fusion });
    },
  };
}
