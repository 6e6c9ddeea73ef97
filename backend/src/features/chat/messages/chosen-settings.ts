import type { Actor } from '../../../access/index.ts';
import type { PanelChoice, PersonaRef } from '../../../contract/reply-settings.ts';
import type { ReplySettings, SummarySource } from '../../context.ts';
import {
  type ConversationRecord,
  choosePersona,
  noPanel,
  noSuchPersona,
} from '../conversations/index.ts';
import type { ChatFeature, Others } from '../feature.ts';
import { estimateTokens, limitsFor, type PromptPart, type TokenLimits } from './estimate.ts';
import type { Remembered } from './outbox-model.ts';
import type { ChosenPersona } from './persona-choice.ts';
import type { ReservedTokens } from './record.ts';
import { callCount } from './settings.ts';

/** The settings that a send names; the conversation's settings replace absent ones. */
export interface SettingsOfSend extends Remembered {
  summaryOf?: SummarySource | undefined;
}

export interface ChosenSettings {
  settings: ReplySettings;
  /** The limits of the actor's replies. */
  limits: TokenLimits;
  /** The settings that the conversation remembers; undefined when the send chose nothing. */
  remember: Remembered | undefined;
  /** The possible parts of the prompt besides the messages, and the UTF-8 bytes of the text to sum up. */
  added: { parts: PromptPart[]; summaryBytes: number };
}

type Chooser = Pick<ChatFeature, 'limits'> & { others: Pick<Others, 'personas'> };

type OfConversation = Pick<
  ConversationRecord,
  'depth' | 'memory' | 'temporary' | 'trial' | 'grants'
>;
type Panel = ReplySettings['panel'];

/** The user who gets the replies. */
type Replied = Pick<Actor, 'userId' | 'isGuest'>;

interface Chosen {
  chosen: ChosenPersona | null;
  panel: Panel;
  limits: TokenLimits;
  summaryOf: SummarySource | undefined;
}

/**
 * The settings of the reply to a send.
 * @throws AppError not_found for a persona that the actor does not have, invalid_field when no panel is possible
 */
export async function settingsOfSend(
  chat: Chooser,
  actor: Replied,
  { accessed, send }: { accessed: Promise<ConversationRecord>; send: SettingsOfSend },
): Promise<ChosenSettings> {
  const { personaId, panel, depth, summaryOf } = send;
  const limits = limitsFor(actor, chat.limits);
  // The user's own conversation in nearly all cases: the persona is read beside it.
  const own = personaId ? chat.others.personas.choose(actor.userId, personaId) : null;
  own?.catch(() => undefined);
  const conversation = await accessed;
  const choose = (id: string) => choosePersona(chat.others, actor, { conversation, id });
  const isOwn = conversation.ownerId === actor.userId;
  const named = personaId ? await (isOwn ? own : choose(personaId)) : null;
  if (personaId && !named) throw noSuchPersona();
  if (named?.isDraft && !conversation.trial) throw noSuchPersona();
  const remembered = personaId === undefined ? conversation.personaId : null;
  // A persona that was deleted since counts as none.
  const chosen = named ?? (remembered === null ? null : await choose(remembered));
  if (panel && !chosen?.members) throw noPanel();
  const isRemembered = personaId === undefined && panel === undefined;
  const asked = isRemembered ? conversation.panel : panel;
  return {
    ...settingsWith(
      chat,
      { ...conversation, depth: depth ?? conversation.depth },
      { chosen, panel: panelOf(chosen, asked), limits, summaryOf },
    ),
    remember: rememberedOf({ personaId, panel, depth }),
  };
}

/**
 * The settings of a regenerated or continued reply: its persona in the current version, its panel and the text to sum up; the rest from the
 * conversation.
 */
export async function settingsOfReply(
  chat: Chooser,
  actor: Replied,
  { earlier, conversation }: { earlier: ReplySettings; conversation: ConversationRecord },
): Promise<Omit<ChosenSettings, 'remember'>> {
  const { persona, panel, summaryOf } = earlier;
  // It answers for the owner of the conversation, whoever asks.
  const chosen = persona && (await chat.others.personas.choose(conversation.ownerId, persona.id));
  const limits = limitsFor(actor, chat.limits);
  return settingsWith(chat, conversation, { chosen, panel, limits, summaryOf });
}

function settingsWith(
  { limits: all }: Pick<ChatFeature, 'limits'>,
  { depth, memory: chosenMemory, temporary, trial, grants }: OfConversation,
  { chosen, panel, limits, summaryOf }: Chosen,
): Omit<ChosenSettings, 'remember'> {
  const { contextTokens } = limits;
  // What others read contains no memories of one of them.
  const memory = grants.length > 0 ? 'off' : chosenMemory;
  const answering = [chosen, ...(panel ? (chosen?.members ?? []) : [])];
  const parts: PromptPart[] = [
    ...(chosen ? (['persona'] as const) : []),
    ...(memory !== 'off' && !temporary ? (['memory'] as const) : []),
    ...(answering.some((persona) => persona?.hasFiles) ? (['files'] as const) : []),
  ];
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
  return { settings, limits, added: { parts, summaryBytes: summaryOf?.bytes ?? 0 } };
}

/** The maximum tokens of an attempt, before its prompt is built; `calls` of a panel, all of them by default. */
export function tokensOf(
  { settings, limits, added: { parts, summaryBytes } }: Omit<ChosenSettings, 'remember'>,
  {
    pathLength,
    messages,
    calls = callCount(settings),
  }: { pathLength: number; messages: number; calls?: number },
): ReservedTokens {
  const length = pathLength + summaryBytes;
  return estimateTokens({ length, parts, messages, depth: settings.depth, calls }, limits);
}

const refOf = ({ id, name, version }: PersonaRef): PersonaRef => ({ id, name, version });

/** A remembered panel ends when its fusion is gone. */
const panelOf = (chosen: ChosenPersona | null, asked: PanelChoice | null | undefined) =>
  asked && chosen?.members
    ? { synthesis: asked.synthesis, members: chosen.members.map(refOf) }
    : undefined;

/** A persona without a panel ends a panel. */
function rememberedOf({ personaId, panel, depth }: SettingsOfSend): Remembered | undefined {
  const named = {
    ...(personaId !== undefined && { personaId, panel: panel ?? null }),
    ...(panel !== undefined && { panel }),
    ...(depth !== undefined && { depth }),
  };
  return Object.keys(named).length > 0 ? named : undefined;
}
