import { t } from 'virtual:texts/artifacts';
import type { ArtifactKind } from './artifact-kind.ts';

/** The name of a kind. */
export const kindName = (kind: ArtifactKind): string => t(kind);

const MAX_TITLE = 80;

/** Markup of a title, in UTF-16 code units. */
const MAX_TITLE_MARKUP = 500;

/** The title of a page and of a drawing. Further titles of a drawing name its parts. */
const TITLES = { html: /<(?:title|h1)\b[^<>]*>/i, svg: /<svg\b[^<>]*>\s*<title\b[^<>]*>/i };

function titleElement(code: string, kind: keyof typeof TITLES): string {
  const opening = TITLES[kind].exec(code);
  if (!opening) return '';
  const from = opening.index + opening[0].length;
  const rest = code.slice(from, from + MAX_TITLE_MARKUP);
  return rest.slice(0, Math.max(0, rest.search(/<\/(?:title|h1)\b/i)));
}

/** The title in the code of an artifact. */
export function titleIn(code: string, kind: ArtifactKind): string | undefined {
  const written =
    kind === 'mermaid'
      ? (/^[ \t]*title:?[ \t]+(\S.*)$/m.exec(code)?.[1] ?? '')
      : titleElement(code, kind);
  return plainTitle(written.replace(/<[^<>]*>/g, ''));
}

/** A title without line breaks, of limited length; undefined for none. */
export function plainTitle(text: string): string | undefined {
  const title = text.replace(/\s+/g, ' ').trim();
  return title === '' ? undefined : title.slice(0, MAX_TITLE);
}
