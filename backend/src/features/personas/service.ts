import type * as z from 'zod';
import type { Actor } from '../../access/index.ts';
import { MAX_PERSONAS, PERSONA_LENGTHS } from '../../contract/persona-limits.ts';
import {
  type Persona,
  type PersonaDraft,
  PersonaFields,
  type PersonaModels,
  type PersonaPreview,
  type PreviewPersonaBody,
  type UpdatePersonaBody,
} from '../../contract/personas.ts';
import { AppError, notFound } from '../../errors.ts';
import { countTokens } from '../../llm/index.ts';
import type { Bus } from '../../realtime/bus.ts';
import { accountOf, type BillingService } from '../billing/index.ts';
import type { FilesSize } from '../files/index.ts';
import { askedFiles } from './asked-files.ts';
import { compilePersona } from './compile/compile.ts';
import type { DraftStore } from './draft-model.ts';
import type { PersonaExtras, PersonaRecord, PersonaStore } from './model.ts';
import { presentPersona } from './present.ts';
import { READY_MADE } from './ready-made.ts';
import { createReferences, type ReferencesDeps } from './references.ts';

/** As the chat limits it in a prompt. */
export const MAX_PROMPT_TOKENS = 2_000;

export interface ServiceDeps extends ReferencesDeps {
  store: PersonaStore;
  drafts: DraftStore;
  billing: Pick<BillingService, 'entitlementsOf'>;
  /** The size of those of the ids that are files of the owner. */
  sizeOfFiles: (ownerId: string, ids: string[]) => Promise<FilesSize>;
  bus: Pick<Bus, 'publish'>;
  now: () => Date;
}

/** What users do with personas. A persona of another user answers 404. */
export type PersonaService = ReturnType<typeof createPersonaService>;

export function createPersonaService(deps: ServiceDeps) {
  const { store, drafts, billing, models, sizeOfFiles, bus, now } = deps;
  const { isOffered, requireModel, withOfferedModel, requireFiles, withoutMissing } =
    createReferences(deps);

  const find = async (ownerId: string, id: string): Promise<PersonaRecord | null> =>
    READY_MADE.find((persona) => persona.id === id) ?? store.find({ id, ownerId });

  /** Also a draft, which only conversations of trials have. */
  const findForReply = async (ownerId: string, id: string): Promise<PersonaRecord | null> =>
    (await find(ownerId, id)) ?? drafts.find({ id, ownerId });

  /** @throws AppError not_found */
  const get = async (actor: Pick<Actor, 'userId'>, id: string): Promise<PersonaRecord> => {
    const persona = await find(actor.userId, id);
    if (!persona) throw notFound('persona');
    return persona;
  };

  const chosenOf = (ownerId: string, persona: PersonaRecord) => {
    const { id, name, version, knowledge } = persona;
    return {
      id,
      name,
      version,
      hasFiles: knowledge.some(({ fileId }) => fileId !== undefined),
      measure: async (messages: readonly string[]) => ({
        promptBytes: promptBytesOf(persona),
        files: await sizeOfFiles(ownerId, askedFiles(persona, messages)),
      }),
    };
  };

  /** A weight of 0 has no say, and a persona that was deleted none any more. */
  const panelOf = async (ownerId: string, { fusion }: PersonaRecord) => {
    const ranked = (fusion?.members ?? [])
      .filter(({ weight }) => weight > 0)
      .toSorted((a, b) => b.weight - a.weight);
    const found = await Promise.all(ranked.map(({ id }) => find(ownerId, id)));
    return found.flatMap((persona) => (persona ? chosenOf(ownerId, persona) : []));
  };

  const requireOwn = (id: string): void => {
    if (READY_MADE.some((persona) => persona.id === id)) throw readyMade();
  };

  const limitOf = async (actor: Actor): Promise<number> =>
    (await billing.entitlementsOf(actor.userId, accountOf(actor))).personas ?? MAX_PERSONAS;

  /** Events are not waited for: a tab that misses one catches up. */
  const publish = (ownerId: string, record: PersonaRecord): Persona => {
    const persona = presentPersona(record);
    void bus.publish(ownerId, 'persona:changed', persona);
    return persona;
  };

  const create = async (
    actor: Actor,
    fields: PersonaFields,
    extras: PersonaExtras = {},
  ): Promise<Persona> => {
    requireModel(fields.model);
    await requireFiles(actor.userId, fields.knowledge);
    const limit = await limitOf(actor);
    const created = await store.insert(actor.userId, fields, { ...extras, limit, now: now() });
    if (!created) throw limitReached(limit);
    return publish(actor.userId, created);
  };

  return {
    findForReply,
    get,
    isOffered,
    withOfferedModel,

    /** The models that a persona may name; the first is the default. */
    models: (): PersonaModels => ({ models: [...models] }),

    /** The user's personas, the last changed first, then the ready-made ones. */
    list: async (actor: Pick<Actor, 'userId'>): Promise<Persona[]> =>
      [...(await store.list(actor.userId)), ...READY_MADE].map(presentPersona),

    /** @throws AppError persona_limit; invalid_field for a file of another user and a model that is not offered */
    create,

    /** @throws AppError not_found, forbidden for a ready-made one, version_conflict, invalid_field */
    update: async (
      actor: Pick<Actor, 'userId'>,
      id: string,
      { version, ...changes }: z.output<typeof UpdatePersonaBody>,
    ): Promise<Persona> => {
      requireOwn(id);
      const { userId: ownerId } = actor;
      if (changes.knowledge || changes.model) {
        const former = await get(actor, id);
        requireModel(changes.model ?? null, former.model);
        await requireFiles(ownerId, changes.knowledge ?? [], former.knowledge);
      }
      const updated = await store.update({ id, ownerId, version }, changes, now());
      if (updated) return publish(ownerId, updated);
      const { version: current } = await get(actor, id);
      throw conflict(current);
    },

    /** Another persona with the same texts; a ready-made one becomes one of the user's. @throws AppError as `create`, not_found */
    duplicate: async (actor: Actor, id: string): Promise<Persona> => {
      const original = await get(actor, id);
      const key = { id, ownerId: actor.userId };
      const [card, picture] = await Promise.all([store.cardOf(key), store.pictureOf(key)]);
      const { fusion } = original;
      const fields = PersonaFields.parse({ ...original, name: copyName(original.name) });
      return create(actor, await withoutMissing(actor.userId, fields), {
        card: card ?? undefined,
        picture: picture ?? undefined,
        fusion,
      });
    },

    /** Deleting it again has no effect. @throws AppError forbidden for a ready-made one, not_found */
    remove: async (actor: Pick<Actor, 'userId'>, id: string): Promise<void> => {
      requireOwn(id);
      if (!(await store.remove({ id, ownerId: actor.userId }))) throw notFound('persona');
      void bus.publish(actor.userId, 'persona:deleted', { id });
    },

    /** What the fields become in a prompt. */
    preview: async ({
      persona,
      messages,
    }: Required<Pick<PreviewPersonaBody, 'messages'>> & {
      persona: PersonaFields;
    }): Promise<PersonaPreview> => {
      const prompt = compilePersona(persona, messages);
      return { prompt, tokens: await countTokens(prompt), maxTokens: MAX_PROMPT_TOKENS };
    },

    /** Keeps a persona for a trial; it counts nothing. */
    draft: async (
      { userId }: Pick<Actor, 'userId'>,
      fields: PersonaFields,
    ): Promise<PersonaDraft> => {
      const id = await drafts.put(userId, await withoutMissing(userId, fields), now());
      return { id, name: fields.name };
    },

    withoutMissing,

    /**
     * For the chat: the persona of a send, or a draft of one. `members` are those of a fusion, as they are now, the highest weight
     * first, when two or more are left.
     */
    choose: async (ownerId: string, id: string) => {
      const own = await find(ownerId, id);
      const persona = own ?? (await drafts.find({ id, ownerId }));
      if (!persona) return null;
      const members = own ? await panelOf(ownerId, own) : [];
      return {
        ...chosenOf(ownerId, persona),
        ...(members.length > 1 && { members }),
        ...(!own && { isDraft: true }),
      };
    },

    removeAllOf: async (ownerId: string): Promise<void> => {
      await drafts.removeAllOf(ownerId);
      await store.removeAllOf(ownerId);
    },
  };
}

/** A token has four bytes of English at most, by the estimate of reservations three. */
const MAX_PROMPT_BYTES = MAX_PROMPT_TOKENS * 3;

const promptBytesOf = (persona: PersonaRecord): number =>
  Math.min(MAX_PROMPT_BYTES, Buffer.byteLength(compilePersona(persona, 'all')));

const COPY = ' (copy)';

function copyName(name: string): string {
  const room = PERSONA_LENGTHS.name - COPY.length;
  // Half a surrogate pair is not text.
  return `${name.slice(0, room).replace(/[\uD800-\uDBFF]$/, '')}${COPY}`;
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
