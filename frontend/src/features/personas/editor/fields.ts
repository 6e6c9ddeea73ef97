import type { Persona, PersonaFields } from '@stolas/backend/contract';

const EMPTY: PersonaFields = {
  name: '',
  role: '',
  avatar: '',
  description: '',
  instructions: '',
  traits: { warmth: 50, formality: 50, verbosity: 50, directness: 50, humour: 50 },
  tone: [],
  knowledge: [],
  do: [],
  dont: [],
  examples: [],
  greeting: '',
  depth: null,
  model: null,
};

/** The owner's fields of a persona; all empty without a persona. */
export const fieldsOf = (persona: Persona | undefined): PersonaFields =>
  Object.fromEntries(
    Object.entries(EMPTY).map(([field, empty]) => [
      field,
      persona?.[field as keyof PersonaFields] ?? empty,
    ]),
  ) as unknown as PersonaFields;

/** The entries without those that were left empty. */
export const complete = (fields: PersonaFields): PersonaFields => ({
  ...fields,
  knowledge: fields.knowledge.filter(
    ({ keys, text, fileId }) => keys.length > 0 && (fileId || text?.trim()),
  ),
  examples: fields.examples.filter(({ user, assistant }) => user.trim() && assistant.trim()),
});
