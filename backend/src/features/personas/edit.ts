import type * as z from 'zod';
import type { Actor } from '../../access/index.ts';
import { MAX_PERSONAS, PERSONA_LENGTHS } from '../../contract/limits.ts';
import {
  type Persona,
  type PersonaDraft,
  PersonaFields,
  type PersonaPreview,
  type PersonaSummary,
  type PreviewPersonaBody,
  type UpdatePersonaBody,
} from '../../contract/personas.ts';
import { AppError, notFound } from '../../errors.ts';
import { countTokensInThread } from '../../llm/index.ts';
import { ownEntry } from '../../text/own-entry.ts';
import { accountOf } from '../billing/index.ts';
import { audienceOf, principalsOf, readerOf } from '../record-grants.ts';
import type { StoredCard } from './card-model.ts';
import { compilePersona, MAX_PROMPT_TOKENS } from './compile/compile.ts';
import type { PersonasFeature } from './feature.ts';
import type { OwnPersona, PersonaExtras } from './model.ts';
import { getPersona, openPersona, openText } from './open.ts';
import { presentAll, presentPersona, presentTo } from './present.ts';
import { readyMadeIn } from './ready-made/index.ts';
import { requireFiles, requireModel, withoutMissing } from './references.ts';
import { publishLater } from './share.ts';

type User = Pick<Actor, 'userId'>;

/** The personas of others in a list: nobody's list grows without end by what others share. */
const MAX_SHARED = 200;

/** The user's personas, last changed first, those that are shared with the user, then the ready-made ones of a language. */
export async function listPersonas(
  personas: PersonasFeature,
  { userId }: User,
  language = 'en',
): Promise<PersonaSummary[]> {
  const { personas: store, others } = personas;
  const principals = principalsOf(await readerOf(others, userId));
  const [own, shared] = await Promise.all([
    store.list(userId),
    store.listShared(principals, MAX_SHARED),
  ]);
  const ofOthers = shared.filter(({ ownerId }) => ownerId !== userId);
  const all = [...own, ...ofOthers, ...readyMadeIn(language)];
  return presentAll(personas, { userId }, all);
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
  publishLater(personas, created);
  return presentPersona(created);
}

/** @throws AppError not_found; forbidden for a ready-made one, and with the needed role; version_conflict; invalid_field */
export async function updatePersona(
  personas: PersonasFeature,
  actor: User,
  { id, body: { version, ...changes } }: { id: string; body: z.output<typeof UpdatePersonaBody> },
): Promise<Persona> {
  const former = await openPersona(personas, actor, { id, action: 'write' });
  const { ownerId, name } = former;
  if (changes.name !== undefined && changes.name !== name)
    await openPersona(personas, actor, { id, action: 'manage' });
  requireModel(personas, changes.model ?? null, former.model);
  const { knowledge = [] } = changes;
  await requireFiles(personas, actor.userId, { knowledge, known: former.knowledge });
  const key = { id, ownerId, version };
  const updated = await personas.personas.update(key, changes, personas.now());
  if (updated) {
    publishLater(personas, updated);
    return presentTo(personas, actor, updated);
  }
  const { version: current } = await getPersona(personas, actor, id);
  throw conflict(current);
}

/**
 * Copies a persona, also a ready-made one and a shared one whose text the actor may see.
 * @throws AppError as `createPersona`, not_found
 */
export async function duplicatePersona(
  personas: PersonasFeature,
  actor: Actor,
  id: string,
  language = 'en',
): Promise<Persona> {
  const original = await openText(personas, actor, id);
  const { ownerId } = original;
  const card = ownerId ? await personas.cards.find({ id, ownerId }) : null;
  const copy = PersonaFields.parse({ ...original, name: copyName(original.name, language) });
  return createPersona(personas, actor, {
    fields: await withoutMissing(personas, actor.userId, copy),
    card: card ?? undefined,
    // Its members are the owner's.
    fusion: ownerId === null || ownerId === actor.userId ? original.fusion : undefined,
  });
}

/** @throws AppError forbidden for a ready-made one, and with the needed role; not_found */
export async function deletePersona(
  feature: PersonasFeature,
  actor: User,
  id: string,
): Promise<void> {
  const persona = await openPersona(feature, actor, { id, action: 'manage' });
  const { personas, cards, publish } = feature;
  const audience = await audienceOf(feature, persona);
  await cards.remove(persona);
  if (!(await personas.remove(persona))) throw notFound('persona');
  for (const userId of audience.keys()) publish(userId, 'persona:deleted', { id });
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

const limitOf = async ({ others: { billing } }: PersonasFeature, actor: Actor): Promise<number> =>
  (await billing.entitlementsOf(actor.userId, accountOf(actor))).personas ?? MAX_PERSONAS;

const COPY: Readonly<Record<string, string>> = { en: ' (copy)', de: ' (Kopie)' };

function copyName(name: string, language: string): string {
  const copy = ownEntry(COPY, language) ?? ' (copy)';
  const room = PERSONA_LENGTHS.name - copy.length;
  // Half a surrogate pair is not text.
  return `${name.slice(0, room).replace(/[\uD800-\uDBFF]$/, '')}${copy}`;
}

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
