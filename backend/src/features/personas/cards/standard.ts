import { PERSONA_COUNTS, PERSONA_LENGTHS } from '../../../contract/limits.ts';
import type { PersonaFields } from '../../../contract/personas.ts';
import type { CardData } from './card.ts';

/** The fields of a persona that a card can contain. */
export type StandardFields = Pick<
  PersonaFields,
  'name' | 'description' | 'instructions' | 'greeting' | 'examples' | 'knowledge'
>;

export interface Options {
  /** Whether the user has read and accepted the card's instructions to the model. */
  acceptsInstructions: boolean;
}

/** The card's instructions to the model; empty without any. */
export const instructionsIn = (data: CardData): string =>
  join([data.system_prompt, data.post_history_instructions].map((it) => named(data, it)));

/** A card's standard fields as those of a persona, within its limits. */
export function standardOf(data: CardData, { acceptsInstructions }: Options): StandardFields {
  const say = (text: string) => named(data, text);
  const about = [
    labelled('Personality', say(data.personality)),
    labelled('Scenario', say(data.scenario)),
  ];
  return {
    name: cut(data.name, PERSONA_LENGTHS.name),
    description: cut(say(data.description), PERSONA_LENGTHS.description),
    instructions: cut(
      join([...about, ...(acceptsInstructions ? [instructionsIn(data)] : [])]),
      PERSONA_LENGTHS.instructions,
    ),
    greeting: cut(say(data.first_mes), PERSONA_LENGTHS.greeting),
    examples: examplesIn(data),
    knowledge: knowledgeIn(data),
  };
}

export const join = (texts: readonly string[]): string =>
  texts.filter((text) => text !== '').join('\n\n');

const labelled = (label: string, text: string): string => (text === '' ? '' : `${label}: ${text}`);

/** Half a surrogate pair is not text. */
const cut = (text: string, most: number): string =>
  text
    .trim()
    .slice(0, most)
    .replace(/[\uD800-\uDBFF]$/, '')
    .trim();

/** Maximum length of a field that is read. The stored text is shorter: comments and white space are removed. */
const MAX_READ = 4 * PERSONA_LENGTHS.instructions;

/** Replaces the format's placeholders by names and removes its comments. */
function named({ name, nickname }: Pick<CardData, 'name' | 'nickname'>, text: string): string {
  const character = cut(nickname || name, PERSONA_LENGTHS.name);
  return text
    .slice(0, MAX_READ)
    .replace(/\{\{\s*\/\/(?:[^{}]|\{(?!\{\s*\/\/))*\}\}/g, '')
    .replace(/\{\{char\}\}|<BOT>/gi, () => character)
    .replace(/\{\{user\}\}|<USER>/gi, 'the user')
    .replace(/\{\{original\}\}/gi, '')
    .replace(/\r\n?/g, '\n')
    .trim();
}

/** Example dialogues: blocks after `<START>`, lines that begin with `{{user}}:` or `{{char}}:`. */
function examplesIn(data: CardData): PersonaFields['examples'] {
  const turns = data.mes_example
    .slice(0, MAX_READ)
    .replace(/\r\n?/g, '\n')
    .replace(/<START>/gi, '\n')
    .split(/^(?=[ \t]*(?:\{\{user\}\}|\{\{char\}\}|<USER>|<BOT>)[ \t]*:)/im)
    .map((turn) => /^[ \t]*(\{\{user\}\}|\{\{char\}\}|<USER>|<BOT>)[ \t]*:([^]*)$/i.exec(turn))
    .flatMap((match) => {
      const text = cut(named(data, match?.[2] ?? ''), PERSONA_LENGTHS.example);
      return match && text !== '' ? [{ isUser: /user/i.test(match[1] ?? ''), text }] : [];
    });
  const pairs = turns.flatMap(({ isUser, text }, at) => {
    const next = turns[at + 1];
    return isUser && next && !next.isUser ? [{ user: text, assistant: next.text }] : [];
  });
  return pairs.slice(0, PERSONA_COUNTS.examples);
}

/** Enabled entries of the card's lorebook whose keys are plain words. */
function knowledgeIn(data: CardData): PersonaFields['knowledge'] {
  const entries = (data.character_book?.entries ?? []).flatMap((entry) => {
    const keys = entry.keys
      .map((key) => cut(key, PERSONA_LENGTHS.key))
      .filter((key) => key !== '')
      .slice(0, PERSONA_COUNTS.keys);
    const text = cut(withoutDecorators(named(data, entry.content)), PERSONA_LENGTHS.knowledge);
    const isUsable = entry.enabled && !entry.use_regex && keys.length > 0 && text !== '';
    return isUsable ? [{ keys, text }] : [];
  });
  return entries.slice(0, PERSONA_COUNTS.knowledge);
}

/** V3 puts settings of an entry into lines that begin with `@@`. */
const withoutDecorators = (text: string): string => text.replace(/^(?:@@[^\n]*(?:\n|$))+/, '');
