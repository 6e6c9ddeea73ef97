import type * as z from 'zod';
import type { Actor } from '../../../access/index.ts';
import {
  type FusePersonasBody,
  type FusionPreview,
  type Persona,
  type PersonaDraft,
  PersonaFields,
} from '../../../contract/personas.ts';
import { countTokensInThread } from '../../../llm/index.ts';
import { MAX_PROMPT_TOKENS } from '../compile/compile.ts';
import { createPersona, draftPersona } from '../edit.ts';
import type { PersonasFeature } from '../feature.ts';
import { openText } from '../open.ts';
import { withoutMissing } from '../references.ts';
import { fusePersonas } from './fuse.ts';

// Fusions of the user's personas and ready-made ones.

type Body = z.output<typeof FusePersonasBody>;

/**
 * The prompt of a fusion, and the origins of its lines.
 * @throws AppError not_found
 */
export async function previewFusion(
  personas: PersonasFeature,
  actor: Actor,
  body: Body,
): Promise<FusionPreview> {
  const { persona: _saved, ...fused } = await fuse(personas, actor, body);
  return {
    ...fused,
    tokens: await countTokensInThread(fused.prompt),
    maxTokens: MAX_PROMPT_TOKENS,
  };
}

/**
 * Stores a fusion for a trial.
 * @throws AppError not_found
 */
export async function draftFusion(
  personas: PersonasFeature,
  actor: Actor,
  body: Body,
): Promise<PersonaDraft> {
  return draftPersona(personas, actor, (await fuse(personas, actor, body)).persona);
}

/**
 * Saves a fusion as a persona, which counts as one.
 * @throws AppError not_found, persona_limit
 */
export async function saveFusion(
  personas: PersonasFeature,
  actor: Actor,
  body: Body,
): Promise<Persona> {
  const members = await membersOf(personas, actor, body);
  const { persona } = fusePersonas(members, body.name);
  return createPersona(personas, actor, {
    fields: await withoutMissing(personas, actor.userId, persona),
    fusion: {
      members: members.map(({ id, weight, persona: { name } }) => ({ id, name, weight })),
    },
  });
}

const fuse = async (personas: PersonasFeature, actor: Actor, body: Body) =>
  fusePersonas(await membersOf(personas, actor, body), body.name);

const membersOf = (personas: PersonasFeature, actor: Actor, { members }: Body) =>
  Promise.all(
    members.map(async ({ id, weight }) => ({
      id,
      weight,
      persona: PersonaFields.parse(await openText(personas, actor, id)),
    })),
  );
