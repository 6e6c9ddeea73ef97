import { askedKnowledge } from './compile/compile.ts';
import type { PersonaRecord } from './model.ts';

/** Knowledge is looked up by the keys that occur in so many of the last messages. */
export const LAST_MESSAGES = 4;

/** The files of a persona's knowledge that the messages ask for. */
export const askedFiles = (
  { knowledge }: Pick<PersonaRecord, 'knowledge'>,
  messages: readonly string[],
): string[] => [...askedKnowledge(knowledge, messages)].flatMap(({ fileId }) => fileId ?? []);
