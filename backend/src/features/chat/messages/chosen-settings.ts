import type { Depth, PanelChoice, PersonaRef } from '../../../contract/reply-settings.ts';
import { AppError } from '../../../errors.ts';
import type { ReplySettings } from '../../context.ts';
import { type ConversationRecord, noPanel } from '../conversations/index.ts';
import type { Remembered } from './model.ts';

/** A persona that a reply may be written as. */
export interface ChosenPersona extends PersonaRef {
  /** UTF-8 bytes that it adds to a prompt at most. */
  promptBytes: number;
  /** Of a fusion: those who answer in a panel, in their order; at least two. */
  members?: (PersonaRef & { promptBytes: number })[];
  /** Only conversations of trials may have it. */
  isDraft?: boolean;
}

/** The personas of a user and the ready-made ones. */
export interface PersonaChoice {
  /** @returns null when there is none, or it belongs to another user */
  choose: (ownerId: string, id: string) => Promise<ChosenPersona | null>;
}

/** What a send names; left out, the conversation's settings count. */
export interface SettingsOfSend {
  personaId?: string | null | undefined;
  panel?: PanelChoice | null | undefined;
  depth?: Depth | undefined;
}

export interface ChosenSettings {
  settings: ReplySettings;
  /** What the conversation is to remember; undefined when the send chose nothing. */
  remember: Remembered | undefined;
  /** UTF-8 bytes that they add to a prompt. */
  promptBytes: number;
}

type OfConversation = Pick<ConversationRecord, 'depth' | 'memory' | 'temporary' | 'trial'>;

/** Finds the settings of replies. */
export function createSettingsChoice({ choose }: PersonaChoice) {
  const settingsWith = (
    { depth, memory, temporary, trial }: OfConversation,
    chosen: ChosenPersona | null,
    panel: ReplySettings['panel'],
  ) => {
    const { promptBytes = 0, members = [] } = chosen ?? {};
    const ofCalls = panel ? members.map((member) => member.promptBytes) : [];
    const settings = {
      persona: chosen && refOf(chosen),
      ...(panel && { panel }),
      depth,
      memory,
      temporary,
      ...(trial && { trial }),
    };
    return { settings, promptBytes: Math.max(promptBytes, ...ofCalls) };
  };

  return {
    /** Of a send. @throws AppError not_found for a persona that the actor does not have, invalid_field for no panel */
    ofSend: async (
      accessed: Promise<ConversationRecord>,
      { personaId, panel, depth }: SettingsOfSend,
      ownerId: string,
    ): Promise<ChosenSettings> => {
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
          chosen,
          panelOf(chosen, asked),
        ),
        remember: rememberedOf({ personaId, panel, depth }),
      };
    },

    /**
     * Of a reply that is regenerated or continued: its persona as it is now and its panel, the rest from the conversation.
     */
    ofReply: async (
      { settings, ownerId }: { settings: ReplySettings; ownerId: string },
      conversation: ConversationRecord,
    ): Promise<Omit<ChosenSettings, 'remember'>> => {
      const { persona, panel } = settings;
      const chosen = persona && (await choose(ownerId, persona.id));
      return settingsWith(conversation, chosen, panel);
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

export const noSuchPersona = () =>
  new AppError('not_found', 'This persona was deleted. Choose another one, then send again.', {
    details: { field: 'personaId' },
  });
