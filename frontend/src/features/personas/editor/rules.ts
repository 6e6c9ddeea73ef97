import type { PersonaFields } from '@stolas/backend/contract';

type Rules = PersonaFields['do'];

/** Words that are separated by commas. */
export const toWords = (text: string): string[] =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');

export const fromWords = (words: readonly string[]): string => words.join(', ');

/** A topic is short; a longer beginning is a sentence that contains a colon. */
const TOPIC = /^([^:]{1,60}):\s+(\S.*)$/;

/** One rule a line, `topic: text` or only a text. */
export const toRules = (text: string): Rules =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => {
      const [, topic = '', rest = line] = TOPIC.exec(line) ?? [];
      return { topic: topic.trim(), text: rest };
    });

export const fromRules = (rules: Rules): string =>
  rules.map(({ topic, text }) => (topic === '' ? text : `${topic}: ${text}`)).join('\n');
