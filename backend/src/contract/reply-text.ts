import type { Citation, PartAuthor, ReplyPart } from './messages.ts';

/** Whether two parts have the same author: a member, the synthesis, or a reply without a panel. */
export const isSameAuthor = (a: PartAuthor, b: PartAuthor): boolean => a.personaId === b.personaId;

/** The author of a part. */
export const authorOf = ({ personaId, personaName }: PartAuthor): PartAuthor => ({
  ...(personaId !== undefined && { personaId }),
  ...(personaName !== undefined && { personaName }),
});

/** Whether the parts belong to a panel. */
export const isPanel = (parts: readonly PartAuthor[]): boolean =>
  parts.some(({ personaId }) => personaId !== undefined);

/**
 * The text of a reply for exports and copies: the name of its author stands above each part of a panel as a bold line. Other replies are
 * their text parts joined.
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

const SOURCE_LINK = /\[(\d{1,4})\]\(#source=[0-9a-f]{24},\d{1,7},\d{1,9},\d{1,9}\)/g;

/** The text of a reply with `[1]` instead of its citations' links. */
export const sourcesAsNumbers = (text: string): string => text.replace(SOURCE_LINK, '[$1]');

/**
 * A reply for exports and copies: `[1]` for its citations, and a list of their places at the end, with a line each by `lineOf`, else in
 * English.
 */
export function withSourceList(
  text: string,
  citations: readonly Citation[] = [],
  lineOf = sourceLine,
): string {
  const plain = sourcesAsNumbers(text);
  if (plain === text || citations.length === 0) return plain;
  return `${plain}\n\n${citations.map(lineOf).join('\n')}\n`;
}

const sourceLine = ({ n, fileName, page, pageLabel }: Citation): string =>
  `[${n}] ${fileName}, page ${page}${pageLabel === undefined ? '' : ` (printed ${pageLabel})`}`;
