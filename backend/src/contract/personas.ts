import * as z from 'zod';
import type { Person } from './access.ts';
import { Id } from './id.ts';
import {
  PERSONA_COUNTS as COUNTS,
  PERSONA_LENGTHS as LENGTHS,
  MAX_FUSION_MEMBERS,
  MAX_MODEL_LENGTH,
  TRAITS,
} from './limits.ts';
import { DEPTHS } from './reply-settings.ts';
import type { ReaderRole } from './roles.ts';

const text = (most: number) => z.string().max(most);
const word = (most: number) => z.string().trim().min(1).max(most);
const trait = z.number().int().min(0).max(100);
const rule = z.object({ topic: text(LENGTHS.topic).trim(), text: word(LENGTHS.rule) });

/** Background for a prompt when one of its keys occurs in the last messages: a text, or a file of the owner. */
const Knowledge = z
  .object({
    keys: z.array(word(LENGTHS.key)).min(1, 'Give each entry a key.').max(COUNTS.keys),
    text: word(LENGTHS.knowledge).optional(),
    fileId: Id.optional(),
  })
  .refine((entry) => (entry.text === undefined) !== (entry.fileId === undefined), {
    message: 'Each entry has a text or a file.',
  });

const Traits = z.object({
  warmth: trait,
  formality: trait,
  verbosity: trait,
  directness: trait,
  humour: trait,
} satisfies Record<(typeof TRAITS)[number], typeof trait>);

const fields = {
  role: text(LENGTHS.role).trim(),
  /** An emoji or letters. */
  avatar: text(LENGTHS.avatar).trim(),
  description: text(LENGTHS.description),
  instructions: text(LENGTHS.instructions),
  /** 0 to 100 each; 50 leaves a trait to the model. */
  traits: Traits,
  tone: z.array(word(LENGTHS.tone)).max(COUNTS.tone),
  knowledge: z.array(Knowledge).max(COUNTS.knowledge),
  /** Rules with the same topic exclude each other in a fusion, and `dont` excludes `do`. */
  do: z.array(rule).max(COUNTS.do),
  dont: z.array(rule).max(COUNTS.dont),
  examples: z
    .array(z.object({ user: word(LENGTHS.example), assistant: word(LENGTHS.example) }))
    .max(COUNTS.examples),
  /** Shown when a conversation with the persona begins; not sent to the model. */
  greeting: text(LENGTHS.greeting),
  /** The depth that choosing the persona sets. */
  depth: z.enum(DEPTHS).nullable(),
  /** The model for its replies, of those that `PersonaModels` lists; null: the default one. */
  model: word(MAX_MODEL_LENGTH).nullable(),
};
const name = z
  .string()
  .trim()
  .min(1, 'Give the persona a name.')
  .max(LENGTHS.name, `Shorten the name to ${LENGTHS.name} characters.`);

/** All fields of a persona that its owner writes: the body of POST /api/personas, which answers 201 and the `Persona`. */
export const PersonaFields = z.object({
  name,
  role: fields.role.default(''),
  avatar: fields.avatar.default(''),
  description: fields.description.default(''),
  instructions: fields.instructions.default(''),
  traits: fields.traits.default({
    warmth: 50,
    formality: 50,
    verbosity: 50,
    directness: 50,
    humour: 50,
  }),
  tone: fields.tone.default([]),
  knowledge: fields.knowledge.default([]),
  do: fields.do.default([]),
  dont: fields.dont.default([]),
  examples: fields.examples.default([]),
  greeting: fields.greeting.default(''),
  depth: fields.depth.default(null),
  model: fields.model.default(null),
});
export type PersonaFields = z.output<typeof PersonaFields>;

/** The language of the ready-made personas, as a tag; English where they are not in it. POST …/duplicate: that of "(copy)" in the name. */
export const PersonaLanguageQuery = z.object({ language: z.string().max(35).default('en') });

/** GET /api/personas. A tab of a former build, whose editor takes all texts from the list, does not ask for summaries and gets none. */
export const ListPersonasQuery = PersonaLanguageQuery.extend({ fields: z.literal('summary') });

/** PATCH /api/personas/{id}. `version` is the one that was edited; any other answers `version_conflict`. */
export const UpdatePersonaBody = z.object({
  version: z.number().int().min(1),
  ...z.object({ name, ...fields }).partial().shape,
});
export type UpdatePersonaBody = z.input<typeof UpdatePersonaBody>;

/**
 * POST /api/personas/preview: the prompt text of the fields, and its number of tokens. `messages` are the last ones of a conversation:
 * knowledge with a key in them is included.
 */
export const PreviewPersonaBody = z.object({
  persona: PersonaFields,
  messages: z.array(z.string().max(4_000)).max(6).default([]),
});
export type PreviewPersonaBody = z.input<typeof PreviewPersonaBody>;

export interface PersonaPreview {
  prompt: string;
  tokens: number;
  /** Maximum tokens of a persona in a prompt; its end is cut beyond them. */
  maxTokens: number;
}

/** A persona without its long texts: all that GET /api/personas answers of it, and `persona:summary`. */
export interface PersonaSummary
  extends Pick<PersonaFields, 'name' | 'role' | 'avatar' | 'greeting' | 'depth'> {
  id: string;
  /** Raised by each change, from 1. */
  version: number;
  /** Cannot be changed or deleted, and does not count against the limit; it can be duplicated. */
  isReadyMade: boolean;
  /** Whether it was imported from a character card, which its exports keep. */
  hasCard: boolean;
  /** Path of this server to the picture of its card, a PNG that never changes; shown when `avatar` is empty. */
  pictureUrl?: string;
  /** Only of a fusion: its members. */
  fusion?: { members: { id: string; name: string; weight: number }[] };
  /** When it is shared: what the user may do with it, and whose it is. A viewer gets no text of it but what is shown: the rest is empty. */
  shared?: { role: ReaderRole; owner: Person };
  /** ISO 8601. */
  createdAt: string;
  updatedAt: string;
}

/** A persona: of the user, shared with the user, or ready-made for all users. */
export interface Persona extends PersonaSummary, PersonaFields {}

/** GET /api/personas/models: the models that a persona may name; the first one is the default. */
export interface PersonaModels {
  models: string[];
}

const flag = z
  .enum(['true', 'false'])
  .default('false')
  .transform((value) => value === 'true');

/**
 * POST /api/personas/import with a character card as its body, JSON or PNG, of at most `MAX_CARD_BYTES`. Without `accept` it answers
 * `CardPreview` and stores nothing; with it, 201 and the `Persona`. `instructions` accepts the card's instructions to the model.
 */
export const ImportCardQuery = z.object({ accept: flag, instructions: flag });

export interface CardPreview {
  /** Without the card's instructions to the model. */
  persona: PersonaFields;
  format: 'v1' | 'v2' | 'v3';
  /** The card's own instructions to the model; empty without any. To be shown before they are accepted. */
  instructions: string;
  creator: string;
  /** For the reader; never sent to the model. */
  creatorNotes: string;
}

/** GET /api/personas/{id}/export: the persona as a character card, V2 or V3 as JSON, or both in a PNG. */
export const CardExportQuery = z.object({ format: z.enum(['v2', 'v3', 'png']) });
export type CardExportQuery = z.output<typeof CardExportQuery>;

/** POST /api/personas/fusion/preview, and POST /api/personas/fusion, which saves it as a persona: 201. */
export const FusePersonasBody = z.object({
  /** By default the name of the member with the highest weight. */
  name: name.optional(),
  members: z
    .array(z.object({ id: Id, weight: z.number().int().min(0).max(100) }))
    .min(2, 'Choose at least two personas.')
    .max(MAX_FUSION_MEMBERS, `Choose at most ${MAX_FUSION_MEMBERS} personas.`)
    .refine((members) => new Set(members.map((member) => member.id)).size === members.length, {
      message: 'Choose each persona once.',
    })
    .refine((members) => members.reduce((sum, { weight }) => sum + weight, 0) === 100, {
      message: 'The weights must sum to 100.',
    }),
});
export type FusePersonasBody = z.input<typeof FusePersonasBody>;

/**
 * POST /api/personas/drafts: 201 and the `PersonaDraft`. Stored for a day, so that it can be tried before it is saved; the same draft has
 * the same id.
 */
export const DraftPersonaBody = z
  .object({ persona: PersonaFields.optional(), fusion: FusePersonasBody.optional() })
  .refine(({ persona, fusion }) => (persona === undefined) !== (fusion === undefined), {
    message: 'Name a persona or a fusion.',
  });
export type DraftPersonaBody = z.input<typeof DraftPersonaBody>;

/** A persona that only the conversations of a trial may have. */
export interface PersonaDraft {
  id: string;
  name: string;
}

/**
 * Why a line is in a fused prompt. `frame`: a heading; `named`: the name that the user gave; `highest_weight`: only from the member with
 * the highest weight; `share`: won a slot distributed by weight; `union`: from any member.
 */
export type FusionRule = 'frame' | 'named' | 'highest_weight' | 'weighted_mean' | 'share' | 'union';

export interface ProvenLine {
  line: string;
  /** Ids of its members. */
  from: string[];
  rule: FusionRule;
  /** Ids of the members whose lines it replaced. */
  over: string[];
}

export interface DroppedLine {
  line: string;
  /** The id of its member. */
  from: string;
  reason: 'no_slot' | 'same_topic' | 'vetoed' | 'lower_weight';
}

export interface FusionPreview {
  prompt: string;
  /** The hash of `prompt`, in hexadecimal: the same members and weights give the same one. */
  sha256: string;
  /** One entry per line of `prompt`. */
  provenance: ProvenLine[];
  dropped: DroppedLine[];
  tokens: number;
  maxTokens: number;
}
