import type { Persona } from '@stolas/backend/contract';

/** The persona's symbol, or the first letter of its name. */
export const PersonaSymbol = ({ persona }: { persona: Pick<Persona, 'avatar' | 'name'> }) => (
  <span
    aria-hidden="true"
    className="grid size-10 shrink-0 place-items-center overflow-hidden rounded-lg border border-line bg-surface text-lg"
  >
    {persona.avatar || firstLetter(persona.name)}
  </span>
);

/** Of a persona without a symbol. */
export const firstLetter = (name: string): string | undefined =>
  new Intl.Segmenter().segment(name)[Symbol.iterator]().next().value?.segment;
