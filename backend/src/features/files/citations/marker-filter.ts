import { type SourceRef, sourceHref } from '../../../contract/file-limits.ts';
import { codeAt } from '../../../text/markdown-code.ts';
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

/** How much of the text before a marker is looked at, in code units. */
const RECENT_LENGTH = 600;

/** Text up to the next character at which something else may begin. */
const PLAIN = /^[^\n \t\u00A0\\[【"“„«「`=]+/;

export interface MarkerFilterOptions {
  /** The passages of the prompt; other ids are dropped. */
  passages: readonly CitablePassage[];
  /** The text that the reply continues; its citations keep their numbers. */
  kept: string;
  /** Text of earlier parts; its citations keep their numbers too. */
  before?: string;
}

/** Turns the markers of a reply into citations while it streams. */
export interface MarkerFilter {
  /** Takes text of the model. @returns what can be shown of it and of what was held back */
  push: (text: string) => string;
  /** The model has finished. @returns what was held back */
  end: () => string;
}

/**
 * Replaces each marker of a known passage by a link to what it cites, and drops the others. A quotation directly before a marker
 * keeps its quote marks only when it stands verbatim in the file. Code is left alone; a link to a source that the model wrote itself
 * is made no link. What is shown does not depend on how the text is cut into pieces: text is held back only while it may be the
 * beginning of a marker, of inline code, of a fence or of a cited quotation.
 */
export function createMarkerFilter({
  passages,
  kept,
  before = '',
}: MarkerFilterOptions): MarkerFilter {
  const byId = new Map(passages.map((passage) => [passage.id, passage]));
  const { links, state } = readSourceLinks(kept);
  const known = [...readSourceLinks(before).links, ...links];
  const numbers = new Map(known.map(({ href, n }) => [href, n]));
  let highest = Math.max(0, ...numbers.values());
  let recent = withoutSourceLinks(kept.slice(-RECENT_LENGTH));
  /** The last character of the whole text. */
  let last = kept.slice(-1);
  let held = '';
  /** The first half of a surrogate pair. */
  let half = '';
  let shown = '';

  const show = (text: string) => {
    if (text === '') return;
    shown += text;
    last = text.slice(-1);
    state.atLineStart = last === '\n';
  };

  const showText = (text: string) => {
    for (const [index, piece] of text.split('=').entries()) {
      // A space makes it no address.
      const isAddress = index > 0 && /[#;]source$/i.test(recent);
      const added = (index === 0 ? '' : isAddress ? ' =' : '=') + piece;
      recent = (recent + added).slice(-RECENT_LENGTH);
      show(added);
    }
  };

  const showCode = (text: string) => {
    recent = (recent + text).slice(-RECENT_LENGTH);
    show(text);
  };

  const showLink = (ref: SourceRef) => {
    const href = sourceHref(ref);
    const n = numbers.get(href) ?? (highest += 1);
    numbers.set(href, n);
    // After these signs it would be a picture, or no link.
    show(`${/[!\\]/.test(last) ? ' ' : ''}[${n}](${href})`);
  };

  const knownOf = (ids: string[]) => ids.flatMap((id) => byId.get(id) ?? []);

  const showMarker = (
    { spaces, ids }: { spaces: string; ids: string[] },
    refOf: (passage: CitablePassage) => SourceRef,
  ) => {
    const known = knownOf(ids);
    if (known.length === 0) return;
    showText(spaces);
    const refs = new Map(known.map((passage) => [passage.id, refOf(passage)]));
    for (const ref of refs.values()) showLink(ref);
  };

  const showCitedQuote = (cited: CitedQuote) => {
    const known = knownOf(cited.markers.flatMap(({ ids }) => ids));
    const { text, found } = checkQuote(cited, known, passages);
    showText(text + cited.gap);
    const refOf = (passage: CitablePassage) =>
      found && passage === known[found.index] ? found.ref : citedSentence(passage, cited.inner);
    for (const marker of cited.markers) showMarker(marker, refOf);
  };

  /** Shows what `held` begins with. @returns how long that was; 0 when it depends on what follows */
  const step = (isEnd: boolean): number => {
    if (isEnd && isUnfinishedMarker(held)) return held.length;
    const code = codeAt(held, state, isEnd);
    if (code === 'more') return 0;
    if (code) {
      const text = held.slice(0, code.length);
      if (code.type === 'code') showCode(text);
      else showText(text);
      return code.length;
    }
    const opensQuote = held.charAt(0) !== '"' || !/[\p{L}\p{N}]/u.test(last);
    const quote = opensQuote ? citedQuoteAt(held, isEnd) : null;
    if (quote === 'more') return 0;
    if (quote) {
      showCitedQuote(quote);
      return quote.length;
    }
    const marker = markerAt(held, isEnd);
    if (marker === 'more') return 0;
    if (marker) {
      const statement = lastSentence(recent);
      showMarker(marker, (passage) => citedSentence(passage, statement));
      return marker.length;
    }
    const plain = PLAIN.exec(held)?.[0] ?? held.charAt(0);
    showText(plain);
    return plain.length;
  };

  const run = (isEnd: boolean): string => {
    shown = '';
    while (held !== '') {
      const length = step(isEnd);
      if (length === 0) break;
      held = held.slice(length);
    }
    return shown;
  };

  return {
    push: (text) => {
      const { whole, half: rest } = splitHalf(half + text);
      half = rest;
      held += whole;
      return run(false);
    },
    end: () => {
      held += half;
      return run(true);
    },
  };
}

function splitHalf(text: string): { whole: string; half: string } {
  const end = /[\uD800-\uDBFF]$/.test(text) ? text.length - 1 : text.length;
  return { whole: text.slice(0, end), half: text.slice(end) };
}

/** A quotation as it may be shown: with its marks when it is verbatim, signs of the sentence's own outside of them. */
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
  for (const { wanted, shown } of attempts) {
    const found = findQuote(wanted, cited, given);
    if (found) return { text: shown, found };
  }
  return { text, found: null };
}
