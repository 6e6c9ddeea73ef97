import type { PartAuthor, ReplyPart } from './messages.ts';

/** Whether two parts are of one member, of the synthesis, or of a reply that is no panel. */
export const isSameAuthor = (a: PartAuthor, b: PartAuthor): boolean => a.personaId === b.personaId;

/** Who wrote a part, without its text. */
export const authorOf = ({ personaId, personaName }: PartAuthor): PartAuthor => ({
  ...(personaId !== undefined && { personaId }),
  ...(personaName !== undefined && { personaName }),
});

/** Whether the parts are those of a panel. */
export const isPanel = (parts: readonly PartAuthor[]): boolean =>
  parts.some(({ personaId }) => personaId !== undefined);

/**
 * The text of a reply as it leaves the product: above each part of a panel stands its author's name as a bold line. Other replies
 * are their text parts joined.
 */
export function namedText(parts: readonly ReplyPart[], synthesis = 'Synthesis'): string {
  const texts = parts.filter(({ type }) => type === 'text');
  if (!isPanel(texts)) return texts.map(({ text }) => text).join('');
  return texts
    .filter(({ text }) => text.trim() !== '')
    .map((part, index, written) => {
      const before = written[index - 1];
      if (before && isSameAuthor(before, part)) return part.text;
      const { personaName = '' } = part;
      const name = part.personaId === undefined ? synthesis : personaName;
      return `${before ? '\n\n' : ''}**${escapeName(name)}**\n\n${part.text.replace(/^\n+/, '')}`;
    })
    .join('');
}

const escapeName = (name: string): string =>
  name.replace(/[\\`*_[\]<>]/g, String.raw`\$&`).replace(/\s+/g, ' ');
