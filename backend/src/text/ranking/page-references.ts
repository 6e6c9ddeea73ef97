/** Maximum number of pages in a range such as 'pages 3–12'. */
const MAX_RANGE = 20;

const NOUN =
  'pages?|pgs?|pp?|slides?|sheets?|seiten?|folien?|blatt|pages?|diapositives?|p[áa]ginas?|pagin[ae]|p[áa]g|diapositivas?|страниц\\p{L}*|стр';
const NUMBERS = String.raw`\d{1,6}(?:\s*(?:[-–—,&+/]|to|and|or|bis|und|oder|et|à|y|a|e|и|до)\s*\d{1,6})*`;

const REFERENCE = new RegExp(
  [
    // 'page 37', 'Seiten 3 bis 5', 'p. 37'
    String.raw`(?<![\p{L}\p{N}])(?:${NOUN})\.?\s*(?:(?:no\.?|nr\.?|number)\s*)?(${NUMBERS})(?![\p{L}\p{N}])`,
    // 'the 37th page', '3. Seite'
    String.raw`(?<![\p{L}\p{N}.])(\d{1,6})(?:st|nd|rd|th|\.|ª|-я)\s*(?:${NOUN})(?![\p{L}\p{N}])`,
    // Chinese, Japanese, Korean
    String.raw`(?:第\s*)?(\d{1,6})\s*(?:页|頁|ページ|쪽|페이지)`,
  ].join('|'),
  'giu',
);

/** The pages that a question names, such as 'page 37' or 'Seite 37', and its remaining words. */
export function pageReferencesOf(question: string): { pages: number[]; rest: string } {
  const pages = new Set<number>();
  const rest = question.replace(REFERENCE, (...match) => {
    const numbers = match.slice(1, 4).find((group) => group !== undefined) as string;
    for (const page of pagesOf(numbers)) pages.add(page);
    return ' ';
  });
  return { pages: [...pages], rest };
}

function pagesOf(numbers: string): number[] {
  const named = (numbers.match(/\d+/g) ?? []).map(Number);
  const [from = 0, to = 0] = named;
  const isRange = named.length === 2 && /[-–—]|to|bis|à|до|\sa\s/i.test(numbers);
  if (!isRange || to < from || to - from >= MAX_RANGE) return named;
  return Array.from({ length: to - from + 1 }, (_, offset) => from + offset);
}
