import type * as z from 'zod';
import type { Actor } from '../../access/index.ts';
import { MAX_PERSONAS, PERSONA_LENGTHS } from '../../contract/limits.ts';
import {
  type Persona,
  type PersonaDraft,
  PersonaFields,
  type PersonaPreview,
  type PreviewPersonaBody,
  type UpdatePersonaBody,
} from '../../contract/personas.ts';
import { AppError, notFound } from '../../errors.ts';
import { countTokensInThread } from '../../llm/index.ts';
import { accountOf } from '../billing/index.ts';
import type { StoredCard } from './card-model.ts';
import { findPersona } from './choose.ts';
import { compilePersona, MAX_PROMPT_TOKENS } from './compile/compile.ts';
import type { PersonasFeature } from './feature.ts';
import type { OwnPersona, PersonaExtras, PersonaRecord } from './model.ts';
import { presentPersona } from './present.ts';
import { READY_MADE, readyMadeIn } from './ready-made/index.ts';
import { requireFiles, requireModel, withoutMissing } from './references.ts';

type User = Pick<Actor, 'userId'>;

/** The user's personas, last changed first, then the ready-made ones of a language. */
export const listPersonas = async (
  { personas }: PersonasFeature,
  { userId }: User,
  language = 'en',
): Promise<Persona[]> =>
  [...(await personas.list(userId)), ...readyMadeIn(language)].map(presentPersona);

/** @throws AppError not_found */
export async function getPersona(
  personas: PersonasFeature,
  { userId }: User,
  id: string,
): Promise<PersonaRecord> {
  const persona = await findPersona(personas, userId, id);
  if (!persona) throw notFound('persona');
  return persona;
}

/** A persona as its owner writes it, with the card that it was imported from. */
interface NewPersona extends Pick<PersonaExtras, 'fusion'> {
  fields: PersonaFields;
  card?: StoredCard | undefined;
}

/** @throws AppError persona_limit; invalid_field for a file of another user and for a model that is not offered */
export async function createPersona(
  personas: PersonasFeature,
  actor: Actor,
  { fields, card, fusion }: NewPersona,
): Promise<Persona> {
  requireModel(personas, fields.model);
  await requireFiles(personas, actor.userId, fields);
  const limit = await limitOf(personas, actor);
  const extras = {
    ...(fusion && { fusion }),
    ...(card && { hasCard: true, hasPicture: card.picture !== undefined }),
  };
  const stored = { ...extras, limit, now: personas.now() };
  const created = await personas.personas.insert(actor.userId, fields, stored);
  if (!created) throw limitReached(limit);
  if (card) await insertCard(personas, created, card);
  return publishChange(personas, actor.userId, created);
}

/** @throws AppError not_found; forbidden for a ready-made one; version_conflict; invalid_field */
export async function updatePersona(
  personas: PersonasFeature,
  actor: User,
  { id, body: { version, ...changes } }: { id: string; body: z.output<typeof UpdatePersonaBody> },
): Promise<Persona> {
  requireOwn(id);
  const { userId: ownerId } = actor;
  if (changes.knowledge || changes.model) {
    const former = await getPersona(personas, actor, id);
    requireModel(personas, changes.model ?? null, former.model);
    const { knowledge = [] } = changes;
    await requireFiles(personas, ownerId, { knowledge, known: former.knowledge });
  }
  const key = { id, ownerId, version };
  const updated = await personas.personas.update(key, changes, personas.now());
  if (updated) return publishChange(personas, ownerId, updated);
  const { version: current } = await getPersona(personas, actor, id);
  throw conflict(current);
}

/**
 * Copies a persona, also a ready-made one.
 * @throws AppError as `createPersona`, not_found
 */
export async function duplicatePersona(
  personas: PersonasFeature,
  actor: Actor,
  id: string,
  language = 'en',
): Promise<Persona> {
  const original = await getPersona(personas, actor, id);
  const key = { id, ownerId: actor.userId };
  const card = await personas.cards.find(key);
  const copy = PersonaFields.parse({ ...original, name: copyName(original.name, language) });
  return createPersona(personas, actor, {
    fields: await withoutMissing(personas, actor.userId, copy),
    card: card ?? undefined,
    fusion: original.fusion,
  });
}

/** @throws AppError forbidden for a ready-made one, not_found */
export async function deletePersona(
  { personas, cards, publish }: PersonasFeature,
  { userId: ownerId }: User,
  id: string,
): Promise<void> {
  requireOwn(id);
  await cards.remove({ id, ownerId });
  if (!(await personas.remove({ id, ownerId }))) throw notFound('persona');
  publish(ownerId, 'persona:deleted', { id });
}

export async function previewPersona({
  persona,
  messages,
}: Required<Pick<PreviewPersonaBody, 'messages'>> & {
  persona: PersonaFields;
}): Promise<PersonaPreview> {
  const prompt = compilePersona(persona, messages);
  return { prompt, tokens: await countTokensInThread(prompt), maxTokens: MAX_PROMPT_TOKENS };
}

/** Stores a persona for a trial; it does not count against the limit of the plan. */
export async function draftPersona(
  personas: PersonasFeature,
  { userId }: User,
  fields: PersonaFields,
): Promise<PersonaDraft> {
  const kept = await withoutMissing(personas, userId, fields);
  const id = await personas.drafts.put(userId, kept, personas.now());
  return { id, name: fields.name };
}

export async function removeAllOf(
  { personas, cards, drafts }: PersonasFeature,
  ownerId: string,
): Promise<void> {
  await cards.removeAllOf(ownerId);
  await drafts.removeAllOf(ownerId);
  await personas.removeAllOf(ownerId);
}

/** Adds the card of a new persona. Without its card the persona is removed: the import has failed, and can be repeated. */
async function insertCard(
  { personas, cards }: PersonasFeature,
  persona: OwnPersona,
  card: StoredCard,
): Promise<void> {
  try {
    await cards.insert(persona, card);
  } catch (error) {
    await personas.remove(persona);
    throw error;
  }
}

function requireOwn(id: string): void {
  if (READY_MADE.some((persona) => persona.id === id)) throw readyMade();
}

const limitOf = async ({ others: { billing } }: PersonasFeature, actor: Actor): Promise<number> =>
  (await billing.entitlementsOf(actor.userId, accountOf(actor))).personas ?? MAX_PERSONAS;

function publishChange(
  { publish }: PersonasFeature,
  ownerId: string,
  record: PersonaRecord,
): Persona {
  const persona = presentPersona(record);
  publish(ownerId, 'persona:changed', persona);
  return persona;
}

const COPY: Readonly<Record<string, string>> = { en: ' (copy)', de: ' (Kopie)' };

function copyName(name: string, language: string): string {
  const copy = (Object.hasOwn(COPY, language) && COPY[language]) || ' (copy)';
  const room = PERSONA_LENGTHS.name - copy.length;
  // Half a surrogate pair is not text.
  return `${name.slice(0, room).replace(/[\uD800-\uDBFF]$/, '')}${copy}`;
}

const readyMade = () =>
  new AppError('forbidden', 'This persona is ready-made. Duplicate it to change it.');

const conflict = (version: number) =>
  new AppError('version_conflict', 'This persona was changed elsewhere. Look at it again.', {
    details: { version },
  });

const limitReached = (limit: number) =>
  new AppError(
    'persona_limit',
    limit === 0
      ? 'Choose a plan to make personas of your own.'
      : 'Your plan has no room for another persona. Delete one, or choose a larger plan.',
    { details: { limit } },
  );
