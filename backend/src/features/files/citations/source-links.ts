import { parseSourceHref, type SourceRef } from '../../../contract/limits.ts';
import { type CodeState, readCode } from '../../../text/markdown-code.ts';
import type { CitablePassage } from '../../context.ts';

/** A citation in the text of a reply. */
export interface SourceLink extends SourceRef {
  n: number;
  href: string;
}

const LINK = /^\[(\d{1,6})\]\((#source=[0-9a-f]{24},\d{1,7},\d{1,9},\d{1,9})\)/;
const EVERY_LINK = /[ \t]?\[\d{1,6}\]\((#source=[0-9a-f]{24},\d{1,7},\d{1,9},\d{1,9})\)/g;

/** The citations of a reply in order, without those in code, and the state at the end of its text. */
export function readSourceLinks(text: string): { links: SourceLink[]; state: CodeState } {
  const links: SourceLink[] = [];
  const state = readCode(text, (rest) => {
    const [link = '', n, href = ''] = LINK.exec(rest) ?? [];
    const ref = parseSourceHref(href);
    if (!ref) return 0;
    links.push({ ...ref, n: Number(n), href });
    return link.length;
  });
  return { links, state };
}

/** A reply for the history of a prompt, without its citations, which have no meaning there. */
export const withoutSourceLinks = (text: string): string => text.replace(EVERY_LINK, '');

/** A reply to continue, with the markers of the prompt's passages in place of its citations. */
export const withMarkers = (text: string, passages: readonly CitablePassage[]): string =>
  text.replace(EVERY_LINK, (link, href: string) => {
    const ref = parseSourceHref(href);
    const cited = ref && passages.find((passage) => contains(passage, ref));
    if (!cited) return '';
    return `${/^[ \t]/.exec(link)?.[0] ?? ''}[${cited.id}]`;
  });

const contains = (passage: CitablePassage, { fileId, page, start, end }: SourceRef): boolean =>
  passage.fileId === fileId &&
  passage.page === page &&
  passage.start <= start &&
  end <= passage.end;
