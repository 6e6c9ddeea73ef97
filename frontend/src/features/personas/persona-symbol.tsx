import type { PersonaSummary } from '@stolas/backend/contract';

type Shown = Pick<PersonaSummary, 'avatar' | 'name' | 'pictureUrl'>;

/** The persona's symbol, the picture of its card, or the first letter of its name. */
export const PersonaSymbol = ({ persona }: { persona: Shown }) => (
  <span
    aria-hidden="true"
    className="grid size-10 shrink-0 place-items-center overflow-hidden rounded-lg border border-line bg-surface text-lg"
  >
    <SymbolOf persona={persona} />
  </span>
);

/** The content of the frame of a symbol. */
export function SymbolOf({ persona: { avatar, pictureUrl, name } }: { persona: Shown }) {
  if (avatar !== '') return avatar;
  if (pictureUrl === undefined) return firstLetter(name);
  // Card pictures are portraits: the face is in their upper half.
  return <img src={pictureUrl} alt="" className="size-full object-cover object-top" />;
}

/** Of a persona without a symbol. */
const firstLetter = (name: string): string | undefined =>
  new Intl.Segmenter().segment(name)[Symbol.iterator]().next().value?.segment;
