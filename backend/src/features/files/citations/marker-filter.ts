import { type SourceRef, sourceHref } from '../../../contract/limits.ts';
import { type CodeState, codeAt } from '../../../text/markdown-code.ts';
import type { CitablePassage } from '../../context.ts';
import { citedSentence, findQuote, lastSentence } from './cited-span.ts';
import {
  type CitedQuote,
  citedQuoteAt,
  isUnfinishedMarker,
  markerAt,
  withoutMarkers,
} from './markers.ts';
import { readSourceLinks, withoutSourceLinks } from './source-links.ts';

/** Code units before a marker that are searched. */
const RECENT_LENGTH = 600;

/** Text up to the next character that can begin something else. */
const PLAIN = /^[^\n \t\u00A0\\[【"“„«「`=]+/;

export interface MarkerFilterOptions {
  /** The passages of the prompt; other ids are dropped. */
  passages: readonly CitablePassage[];
  /** The text that the reply continues; its citations keep their numbers. */
  kept: string;
  /** Text of earlier parts; its citations keep their numbers too. */
  before?: string;
}

export interface MarkerFilter {
  /**
   * Takes text of the model.
   * @returns the text that can be shown now
   */
  push: (text: string) => string;
  /**
   * Ends the text.
   * @returns the withheld text
   */
  end: () => string;
}

/**
 * Replaces each marker of a known passage by a link to its citation, and drops other markers. A quotation directly before a marker keeps
 * its quote marks only when it occurs verbatim in the file. Code stays unchanged; a source link that the model wrote itself loses its link.
 * The result does not depend on how the text is cut: text is withheld only while it may begin a marker, inline code, a fence or a cited
 * quotation.
 */
export function createMarkerFilter({
  passages,
  kept,
  before = '',
}: MarkerFilterOptions): MarkerFilter {
  const { links, state } = readSourceLinks(kept);
  const known = [...readSourceLinks(before).links, ...links];
  const numbers = new Map(known.map(({ href, n }) => [href, n]));
  const filter: Filtering = {
    passages,
    byId: new Map(passages.map((passage) => [passage.id, passage])),
    code: state,
    numbers,
    highest: Math.max(0, ...numbers.values()),
    recent: withoutSourceLinks(kept.slice(-RECENT_LENGTH)),
    last: kept.slice(-1),
    held: '',
    half: '',
    shown: '',
  };
  return {
    push: (text) => {
      const { whole, half } = splitHalf(filter.half + text);
      filter.half = half;
      filter.held += whole;
      return run(filter, false);
    },
    end: () => {
      filter.held += filter.half;
      return run(filter, true);
    },
  };
}

/** The state of a filter. */
interface Filtering {
  readonly passages: readonly CitablePassage[];
  readonly byId: ReadonlyMap<string, CitablePassage>;
  readonly code: CodeState;
  /** The numbers of citations, by their URL. */
  readonly numbers: Map<string, number>;
  highest: number;
  /** The end of the text so far, without citations. */
  recent: string;
  /** The last character of the whole text. */
  last: string;
  /** The withheld text. */
  held: string;
  /** The first half of a surrogate pair. */
  half: string;
  /** The text that the current call shows. */
  shown: string;
}

function run(filter: Filtering, isEnd: boolean): string {
  filter.shown = '';
  while (filter.held !== '') {
    const length = step(filter, isEnd);
    if (length === 0) break;
    filter.held = filter.held.slice(length);
  }
  return filter.shown;
}

/**
 * Shows the beginning of `held`.
 * @returns its length; 0 when it depends on the following text
 */
function step(filter: Filtering, isEnd: boolean): number {
  const { held, last } = filter;
  if (isEnd && isUnfinishedMarker(held)) return held.length;
  const code = codeAt(held, filter.code, isEnd);
  if (code === 'more') return 0;
  if (code) {
    const text = held.slice(0, code.length);
    if (code.type === 'code') showCode(filter, text);
    else showText(filter, text);
    return code.length;
  }
  const opensQuote = held.charAt(0) !== '"' || !/[\p{L}\p{N}]/u.test(last);
  const quote = opensQuote ? citedQuoteAt(held, isEnd) : null;
  if (quote === 'more') return 0;
  if (quote) {
    showCitedQuote(filter, quote);
    return quote.length;
  }
  const marker = markerAt(held, isEnd);
  if (marker === 'more') return 0;
  if (marker) {
    const statement = lastSentence(filter.recent);
    showMarker(filter, marker, (passage) => citedSentence(passage, statement));
    return marker.length;
  }
  const plain = PLAIN.exec(held)?.[0] ?? held.charAt(0);
  showText(filter, plain);
  return plain.length;
}

function show(filter: Filtering, text: string): void {
  if (text === '') return;
  filter.shown += text;
  filter.last = text.slice(-1);
  filter.code.atLineStart = filter.last === '\n';
}

function showText(filter: Filtering, text: string): void {
  for (const [index, piece] of text.split('=').entries()) {
    // A space makes the URL invalid.
    const isAddress = index > 0 && /[#;]source$/i.test(filter.recent);
    const added = (index === 0 ? '' : isAddress ? ' =' : '=') + piece;
    filter.recent = (filter.recent + added).slice(-RECENT_LENGTH);
    show(filter, added);
  }
}

function showCode(filter: Filtering, text: string): void {
  filter.recent = (filter.recent + text).slice(-RECENT_LENGTH);
  show(filter, text);
}

function showLink(filter: Filtering, ref: SourceRef): void {
  const { numbers } = filter;
  const href = sourceHref(ref);
  const n = numbers.get(href) ?? (filter.highest += 1);
  numbers.set(href, n);
  // After these signs it would be a picture, or no link.
  show(filter, `${/[!\\]/.test(filter.last) ? ' ' : ''}[${n}](${href})`);
}

function showMarker(
  filter: Filtering,
  { spaces, ids }: { spaces: string; ids: string[] },
  refOf: (passage: CitablePassage) => SourceRef,
): void {
  const known = knownOf(filter, ids);
  if (known.length === 0) return;
  showText(filter, spaces);
  const refs = new Map(known.map((passage) => [passage.id, refOf(passage)]));
  for (const ref of refs.values()) showLink(filter, ref);
}

function showCitedQuote(filter: Filtering, cited: CitedQuote): void {
  const known = knownOf(
    filter,
    cited.markers.flatMap(({ ids }) => ids),
  );
  const { text, found } = checkQuote(cited, known, filter.passages);
  showText(filter, text + cited.gap);
  const refOf = (passage: CitablePassage) =>
    found && passage === known[found.index] ? found.ref : citedSentence(passage, cited.inner);
  for (const marker of cited.markers) showMarker(filter, marker, refOf);
}

const knownOf = ({ byId }: Filtering, ids: string[]) => ids.flatMap((id) => byId.get(id) ?? []);

function splitHalf(text: string): { whole: string; half: string } {
  const end = /[\uD800-\uDBFF]$/.test(text) ? text.length - 1 : text.length;
  return { whole: text.slice(0, end), half: text.slice(end) };
}

/** A quotation for display: with its marks when it is verbatim, with the sentence's own punctuation outside. */
function checkQuote(
  { open, inner, close }: CitedQuote,
  cited: CitablePassage[],
  given: readonly CitablePassage[],
) {
  const text = withoutMarkers(inner);
  const sign = /[.,;:!?]$/.exec(text)?.[0] ?? '';
  const unsigned = text.slice(0, text.length - sign.length);
  const attempts = [
    { wanted: text, shown: `${open}${text}${close}` },
    { wanted: text.replaceAll(/[*`]/g, ''), shown: `${open}${text}${close}` },
    { wanted: unsigned, shown: `${open}${unsigned}${close}${sign}` },
  ];
  for (const [at, { wanted, shown }] of attempts.entries()) {
    if (attempts.slice(0, at).some((earlier) => earlier.wanted === wanted)) continue;
    const found = findQuote(wanted, cited, given);
    if (found) return { text: shown, found };
  }
  return { text, found: null };
}
