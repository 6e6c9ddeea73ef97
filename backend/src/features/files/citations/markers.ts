const SPACES = String.raw`[ \t\u00A0]*`;
const ID = String.raw`[pP]\d{1,5}`;
/** `[p7]`, `[p7, p9]`, `[p7-p9]`, `【p7】`. */
const MARKER = String.raw`\\?[[【]${SPACES}${ID}(?:${SPACES}[,;&–-]${SPACES}${ID})*${SPACES}\\?[\]】]`;
/** The beginning of a marker, or characters before one. */
const BEGUN = String.raw`${SPACES}(?:\\|\\?[[【]${SPACES}(?:[pP][\dpP \t\u00A0,;&–-]*\\?)?)?`;
/** Characters between the end of a quotation and its marker. */
const GAP = String.raw`[ \t\u00A0.,;:!?)(*_]{0,6}`;

const LEADING = new RegExp(`^(${SPACES})(${MARKER})`);
const MAY_LEAD = new RegExp(`^${BEGUN}$`);
const AFTER_QUOTE = new RegExp(`^(${GAP}?)((?:${SPACES}${MARKER})+)`);
const MAY_FOLLOW_QUOTE = new RegExp(`^${GAP}(?:${SPACES}${MARKER})*${BEGUN}$`);
const EVERY_MARKER = new RegExp(MARKER, 'g');

/** Maximum of a marker with the white space before it, in code units. */
const MAX_MARKER_LENGTH = 100;
/** Maximum of a quotation. */
export const MAX_QUOTE_LENGTH = 600;
/** Maximum of a quotation with its markers. */
const MAX_CITED_LENGTH = 1_200;

export interface Marker {
  /** The white space before it. */
  spaces: string;
  ids: string[];
  length: number;
}

const idsIn = (marker: string): string[] =>
  (marker.match(/[pP]\d+/g) ?? []).map((id) => id.toLowerCase());

/** A marker at the beginning of `text`, with the white space before it. `more`: it depends on the following text. */
export function markerAt(text: string, isEnd: boolean): Marker | 'more' | null {
  const [whole, spaces = '', marker = ''] = LEADING.exec(text) ?? [];
  if (whole !== undefined && whole.length <= MAX_MARKER_LENGTH)
    return { spaces, ids: idsIn(marker), length: whole.length };
  return !isEnd && text.length <= MAX_MARKER_LENGTH && MAY_LEAD.test(text) ? 'more' : null;
}

/** An incomplete marker at the end of a text. */
export const isUnfinishedMarker = (text: string): boolean =>
  /[[【]/.test(text) && MAY_LEAD.test(text);

export const withoutMarkers = (text: string): string => text.replace(EVERY_MARKER, '');

export interface CitedQuote {
  open: string;
  inner: string;
  close: string;
  /** The characters between the quotation and its first marker. */
  gap: string;
  markers: Pick<Marker, 'spaces' | 'ids'>[];
  length: number;
}

const CLOSES: Record<string, string> = { '"': '"', '“': '”', '„': '“”', '«': '»', '「': '」' };

/** The end of the quotation that begins `text`; `more`: not found yet; null: not on this line, or too far. */
function closingMark(text: string): number | 'more' | null {
  const open = text.charAt(0);
  const closes = CLOSES[open] ?? '';
  let depth = 0;
  for (let at = 1; at < text.length; at += 1) {
    const sign = text.charAt(at);
    if (sign === '\n' || at > MAX_QUOTE_LENGTH) return null;
    if (sign === open && !closes.includes(sign)) depth += 1;
    else if (closes.includes(sign) && depth === 0) return at;
    else if (closes.includes(sign)) depth -= 1;
  }
  return text.length > MAX_QUOTE_LENGTH ? null : 'more';
}

/** A quotation with markers directly behind it, at the beginning of `text`. `more`: it depends on the following text. */
export function citedQuoteAt(text: string, isEnd: boolean): CitedQuote | 'more' | null {
  const open = text.charAt(0);
  if (!(open in CLOSES)) return null;
  const end = closingMark(text);
  if (end === null || (end === 'more' && isEnd)) return null;
  if (end === 'more') return 'more';
  const after = text.slice(end + 1);
  if (!isEnd && text.length <= MAX_CITED_LENGTH && MAY_FOLLOW_QUOTE.test(after)) return 'more';
  const [whole, gap = '', group = ''] = AFTER_QUOTE.exec(after) ?? [];
  if (whole === undefined || end + 1 + whole.length > MAX_CITED_LENGTH) return null;
  const markers: CitedQuote['markers'] = [];
  for (let rest = group; rest !== ''; ) {
    const marker = markerAt(rest, true);
    if (marker === null || marker === 'more') break;
    markers.push(marker);
    rest = rest.slice(marker.length);
  }
  const length = end + 1 + whole.length;
  return { open, inner: text.slice(1, end), close: text.charAt(end), gap, markers, length };
}
