import { t } from 'virtual:texts/personas';
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

/** The fields that were changed. The others may have been changed elsewhere, and background that was imported may be longer than a request. */
export const changesOf = (written: PersonaFields, persona: Persona): Partial<PersonaFields> =>
  Object.fromEntries(
    Object.entries(written).filter(
      ([field, value]) =>
        JSON.stringify(value) !== JSON.stringify(persona[field as keyof PersonaFields]),
    ),
  );

export type Knowledge = PersonaFields['knowledge'][number];
export type Example = PersonaFields['examples'][number];

const hasKeys = ({ keys }: Knowledge) => keys.length > 0;
const hasSource = ({ text, fileId }: Knowledge) => Boolean(fileId || text?.trim());
const hasUser = ({ user }: Example) => user.trim() !== '';
const hasAssistant = ({ assistant }: Example) => assistant.trim() !== '';

/** The complete entries. The form is not saved while one is half-written; those that were left empty are not saved. */
export const complete = (fields: PersonaFields): PersonaFields => ({
  ...fields,
  knowledge: fields.knowledge.filter((entry) => hasKeys(entry) && hasSource(entry)),
  examples: fields.examples.filter((entry) => hasUser(entry) && hasAssistant(entry)),
});

export const lacksKeys = (entry: Knowledge): boolean => hasSource(entry) && !hasKeys(entry);
export const lacksSource = (entry: Knowledge): boolean => hasKeys(entry) && !hasSource(entry);
export const lacksUser = (entry: Example): boolean => hasAssistant(entry) && !hasUser(entry);
export const lacksAssistant = (entry: Example): boolean => hasUser(entry) && !hasAssistant(entry);

/** Has the browser refuse to save the form at this field while it is missing. */
export const refuseWhile =
  (isMissing: boolean) =>
  (field: HTMLInputElement | HTMLTextAreaElement | null): void =>
    field?.setCustomValidity(isMissing ? t('incomplete') : '');
