import type { Actor } from '../../../access/index.ts';
import type { Depth, PanelChoice, PersonaRef } from '../../../contract/reply-settings.ts';
import type { ReplySettings, SummarySource } from '../../context.ts';
import { type ConversationRecord, noPanel } from '../conversations/index.ts';
import { lengthOfPersona, limitsFor, type ReplyLimits, type TokenLimits } from './estimate.ts';
import type { Remembered } from './model.ts';
import { type ChosenPersona, noSuchPersona, type PersonaChoice } from './persona-choice.ts';

/** What a send names; left out, the conversation's settings count. */
export interface SettingsOfSend {
  personaId?: string | null | undefined;
  panel?: PanelChoice | null | undefined;
  depth?: Depth | undefined;
  summaryOf?: SummarySource | undefined;
}

export interface ChosenSettings {
  settings: ReplySettings;
  /** Those of the actor's replies. */
  limits: TokenLimits;
  /** What the conversation is to remember; undefined when the send chose nothing. */
  remember: Remembered | undefined;
  /**
   * UTF-8 bytes that persona, memories, the files of the persona's knowledge and what is to be summed up add to a prompt at most.
   * @param readLast reads the last messages of the path; called only when they decide
   */
  addedBytes: (readLast: () => Promise<string[]>) => Promise<number>;
}

export interface SettingsDeps {
  personas: PersonaChoice;
  /** The memories of users. */
  memory: {
    /** UTF-8 bytes that they add to a prompt at most. */
    promptBytesFor: (ownerId: string, personaId: string | null) => Promise<number>;
  };
  limits: ReplyLimits;
}

type OfConversation = Pick<ConversationRecord, 'depth' | 'memory' | 'temporary' | 'trial'>;
type Panel = ReplySettings['panel'];

type Answering = Pick<ChosenPersona, 'id' | 'promptBytes' | 'filesFor'> | null;

/** UTF-8 bytes that a user's memories add to a prompt of one send, by persona. */
type MemorySizes = (personaId: string | null) => Promise<number>;

/** Whose replies they are. */
type Replied = Pick<Actor, 'userId' | 'isGuest'>;

interface Chosen {
  chosen: ChosenPersona | null;
  panel: Panel;
  sizes: MemorySizes;
}

interface OfReply {
  limits: TokenLimits;
  summaryOf: SummarySource | undefined;
}

/** Finds the settings of replies. */
export function createSettingsChoice({ personas, memory: memories, limits: all }: SettingsDeps) {
  const { choose } = personas;

  const sizesOf =
    (ownerId: string): MemorySizes =>
    (personaId) =>
      memories.promptBytesFor(ownerId, personaId);

  /** The same sizes; that of the persona which is probably asked for is read at once, beside everything else. */
  const readAhead = (sizes: MemorySizes, personaId: string | null): MemorySizes => {
    const ahead = sizes(personaId);
    ahead.catch(() => undefined);
    return (id) => (id === personaId ? ahead : sizes(id));
  };

  /** Of the longest prompt of those who answer. */
  const addedTo =
    (
      answering: Answering[],
      ofMemories: Promise<number[]>,
      { limits, summaryOf }: OfReply,
    ): ChosenSettings['addedBytes'] =>
    async (readLast) => {
      let last: Promise<string[]> | undefined;
      const readOnce = () => (last ??= readLast());
      const [inMemory, ...ofPersonas] = await Promise.all([
        ofMemories,
        ...answering.map(async (persona) =>
          persona ? lengthOfPersona(persona, readOnce, limits) : 0,
        ),
      ]);
      const longest = Math.max(...ofPersonas.map((length, at) => length + (inMemory[at] ?? 0)));
      return longest + (summaryOf?.bytes ?? 0);
    };

  const settingsWith = (
    { depth, memory, temporary, trial }: OfConversation,
    { chosen, panel, sizes, ...rest }: Chosen & OfReply,
  ) => {
    const { limits, summaryOf } = rest;
    const { contextTokens } = limits;
    const answering = [chosen, ...(panel ? (chosen?.members ?? []) : [])];
    const reads = memory !== 'off' && !temporary;
    const settings = {
      persona: chosen && refOf(chosen),
      ...(panel && { panel }),
      depth,
      memory,
      temporary,
      ...(trial && { trial }),
      ...(contextTokens < all.contextTokens && { contextTokens }),
      ...(summaryOf && { summaryOf }),
    };
    const ofMemories = Promise.all(
      answering.map(async (persona) => (reads ? sizes(persona?.id ?? null) : 0)),
    );
    ofMemories.catch(() => undefined);
    return { settings, limits, addedBytes: addedTo(answering, ofMemories, rest) };
  };

  return {
    /** Of a send. @throws AppError not_found for a persona that the actor does not have, invalid_field for no panel */
    ofSend: async (
      accessed: Promise<ConversationRecord>,
      { personaId, panel, depth, summaryOf }: SettingsOfSend,
      actor: Replied,
    ): Promise<ChosenSettings> => {
      const ownerId = actor.userId;
      const limits = limitsFor(actor, all);
      const sizes = readAhead(sizesOf(ownerId), personaId ?? null);
      const named = personaId ? await choose(ownerId, personaId) : null;
      if (personaId && !named) throw noSuchPersona();
      const conversation = await accessed;
      if (named?.isDraft && !conversation.trial) throw noSuchPersona();
      const remembered = personaId === undefined ? conversation.personaId : null;
      // A persona that was deleted since is none.
      const chosen = named ?? (remembered === null ? null : await choose(ownerId, remembered));
      if (panel && !chosen?.members) throw noPanel();
      const isRemembered = personaId === undefined && panel === undefined;
      const asked = isRemembered ? conversation.panel : panel;
      return {
        ...settingsWith(
          { ...conversation, depth: depth ?? conversation.depth },
          { chosen, panel: panelOf(chosen, asked), sizes, limits, summaryOf },
        ),
        remember: rememberedOf({ personaId, panel, depth }),
      };
    },

    /**
     * Of a reply that is regenerated or continued: its persona as it is now, its panel and what it sums up, the rest from the
     * conversation.
     */
    ofReply: async (
      { persona, panel, summaryOf }: ReplySettings,
      conversation: ConversationRecord,
      actor: Replied,
    ): Promise<Omit<ChosenSettings, 'remember'>> => {
      const { userId } = actor;
      const chosen = persona && (await choose(userId, persona.id));
      const limits = limitsFor(actor, all);
      return settingsWith(conversation, {
        chosen,
        panel,
        sizes: sizesOf(userId),
        limits,
        summaryOf,
      });
    },
  };
}

const refOf = ({ id, name, version }: PersonaRef): PersonaRef => ({ id, name, version });

/** A panel that a conversation remembers is none once its fusion is gone. */
const panelOf = (chosen: ChosenPersona | null, asked: PanelChoice | null | undefined) =>
  asked && chosen?.members
    ? { synthesis: asked.synthesis, members: chosen.members.map(refOf) }
    : undefined;

/** A persona that is named without a panel ends one. */
function rememberedOf({ personaId, panel, depth }: SettingsOfSend): Remembered | undefined {
  const named = {
    ...(personaId !== undefined && { personaId, panel: panel ?? null }),
    ...(panel !== undefined && { panel }),
    ...(depth !== undefined && { depth }),
  };
  return Object.keys(named).length > 0 ? named : undefined;
}
