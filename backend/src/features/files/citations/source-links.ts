import { parseSourceHref, type SourceRef } from '../../../contract/file-limits.ts';
import type { CitablePassage } from '../../context.ts';
import { type CodeState, codeAt, initialCodeState } from './code.ts';

/** A citation in the text of a reply. */
export interface SourceLink extends SourceRef {
  n: number;
  href: string;
}

const LINK = /^\[(\d{1,6})\]\((#source=[0-9a-f]{24},\d{1,7},\d{1,9},\d{1,9})\)/;
const EVERY_LINK = /[ \t]?\[\d{1,6}\]\((#source=[0-9a-f]{24},\d{1,7},\d{1,9},\d{1,9})\)/g;

/** The citations of a reply in their order, those in code left out, and the state in which its text ends. */
export function readSourceLinks(text: string): { links: SourceLink[]; state: CodeState } {
  const links: SourceLink[] = [];
  const state = initialCodeState();
  for (let at = 0; at < text.length; ) {
    const rest = text.slice(at, at + 4_096);
    const code = codeAt(rest, state, true);
    const [link = '', n, href = ''] = LINK.exec(rest) ?? [];
    const ref = code === null ? parseSourceHref(href) : null;
    if (ref) links.push({ ...ref, n: Number(n), href });
    const length = lengthOf(code) ?? (ref ? link.length : plainLength(rest));
    at += length;
    state.atLineStart = text.charAt(at - 1) === '\n';
  }
  return { links, state };
}

/** What ends the fenced block that `text` leaves open; empty without one. */
export function closingFence(text: string): string {
  const { fence, atLineStart } = readSourceLinks(text).state;
  return fence ? `${atLineStart ? '' : '\n'}${fence.sign.repeat(fence.length)}` : '';
}

const lengthOf = (code: ReturnType<typeof codeAt>): number | undefined =>
  code === null || code === 'more' ? undefined : code.length;

/** Up to the next place at which code or a link may begin. */
const plainLength = (text: string): number => /^[^\n]?[^\n[`\\]*\n?/.exec(text)?.[0].length || 1;

/** A reply as history of a prompt: without its citations, which mean nothing outside of it. */
export const withoutSourceLinks = (text: string): string => text.replace(EVERY_LINK, '');

/** A reply that is to be continued, with the markers of the prompt's passages in place of its citations. */
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
