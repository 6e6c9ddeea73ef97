const NUMBER = String.raw`\d{1,5}(?![\d.,]*\d|\p{L})`;
/** Names for a page of a file: a page, a slide, a sheet, or the chapter of a book. */
const PAGE = String.raw`pages?|pp?\.|seiten?|s\.|slides?|folien?|sheets?|blatt|blätter|tabellenblatt|chapters?|kapitel`;
const SECTION = String.raw`sections?|sec\.|abschnitte?s?|chapters?|kapitel|clauses?|articles?|artikels?|paragraphs?|paragraf(?:en)?|§§?|ziffern?|annex|appendix|anhang`;
const BETWEEN = String.raw`\s*(?:[-–—,]|and|to|und|bis)\s*`;

const PAGES = new RegExp(
  String.raw`(?<![\p{L}\d])(?:${PAGE})\s*(?<numbers>${NUMBER}(?:${BETWEEN}${NUMBER})*)`,
  'giu',
);
const SECTIONS = new RegExp(
  String.raw`(?<![\p{L}\d])(?:${SECTION})\s*(?<number>\d{1,5}(?:\.\d{1,5})*)(?![\d]|[.,]\d|\p{L})`,
  'giu',
);

interface Cited {
  pages: readonly number[];
  /** The quoted passages. */
  passages: readonly { label: string; text: string }[];
}

/**
 * The claim without numbers that only name a place: a cited page, or a section that the quoted passages name or begin. Any other number
 * stays and must occur in a quotation: 'on page 40' is wrong when page 37 is cited.
 */
export function withoutLocators(claim: string, { pages, passages }: Cited): string {
  const sections = new Map<string, boolean>();
  const isSectionThere = (number: string): boolean => {
    const isThere =
      sections.get(number) ??
      passages.some(({ label, text }) => hasSection(`${label}\n${text}`, number));
    sections.set(number, isThere);
    return isThere;
  };
  const isCited = (numbers: string): boolean => {
    const named = (numbers.match(/\d+/g) ?? []).map(Number);
    const [first, last] = [Math.min(...named), Math.max(...named)];
    return pages.some((page) => page >= first && page <= last);
  };
  return claim
    .replace(PAGES, (found, numbers: string) => (isCited(numbers) ? blank(found) : found))
    .replace(SECTIONS, (found, number: string) => (isSectionThere(number) ? blank(found) : found));
}

const blank = (text: string): string => ' '.repeat(text.length);

/** Whether a text names the section, or has a line that begins with its number. */
function hasSection(text: string, number: string): boolean {
  const written = number.replaceAll('.', String.raw`\.`);
  const heading = new RegExp(String.raw`^[ \t#]*${written}(?:[.)]?[ \t]|[.)]?$)`, 'mu');
  const named = Array.from(text.matchAll(SECTIONS)).map(({ groups }) => groups?.number);
  return named.includes(number) || heading.test(text);
}
