import type { ClaimVerdict, ReplyClaim } from '@stolas/backend/contract';
import type { ExtraProps } from 'react-markdown';
import { verdictOf, worstOf } from './verdicts.ts';

type Element = NonNullable<ExtraProps['node']>;
type Child = Element['children'][number];
type Text = Extract<Child, { type: 'text' }>;
interface Parent {
  children: Child[];
}

/** A sentence with its claims, by its place in the text that is parsed. */
export interface ClaimSpan {
  start: number;
  end: number;
  ids: string[];
  verdict: ClaimVerdict;
}

/** The sentences of a part of a reply that begins at `start`. */
export function spansOf(claims: readonly ReplyClaim[], start: number, length: number): ClaimSpan[] {
  const bySentence = new Map<string, ReplyClaim[]>();
  for (const claim of claims) {
    if (claim.start < start || claim.end > start + length) continue;
    const key = `${claim.start} ${claim.end}`;
    bySentence.set(key, [...(bySentence.get(key) ?? []), claim]);
  }
  return [...bySentence.values()].flatMap((group) =>
    group.slice(0, 1).map((first) => ({
      start: first.start - start,
      end: first.end - start,
      ids: group.map(({ id }) => id),
      verdict: verdictOf(worstOf(group)),
    })),
  );
}

/** The position in the source of each code unit of a text node: escapes and references are longer in the source. */
function placesOf({ value, position }: Text, source: string): number[] {
  const start = position?.start.offset ?? 0;
  const end = position?.end.offset ?? start;
  const places: number[] = [];
  let at = start;
  for (const unit of value.split('')) {
    while (at < end && source[at] !== unit) at += 1;
    places.push(Math.min(at, end));
    at += 1;
  }
  return places;
}

interface Options {
  source: string;
  spans: readonly ClaimSpan[];
}

/** Wraps the text of claims in `span` elements, with a `button` behind the last of each. Links and code blocks stay as they are. */
export function rehypeClaims({ source, spans }: Options) {
  return (tree: Parent) => {
    const last = new Map<ClaimSpan, Child>();
    wrap(tree, { source, spans, last });
    addButtons(tree, new Map(Array.from(last, ([span, element]) => [element, span])));
  };
}

function wrap(parent: Parent, context: Options & { last: Map<ClaimSpan, Child> }): void {
  parent.children = parent.children.flatMap((child) => {
    if (child.type === 'text') return piecesOf(child, context);
    if (child.type === 'element' && child.tagName !== 'a' && child.tagName !== 'pre')
      wrap(child, context);
    return [child];
  });
}

function piecesOf(
  text: Text,
  { source, spans, last }: Options & { last: Map<ClaimSpan, Child> },
): Child[] {
  if (!text.position || text.value.trim() === '') return [text];
  const places = placesOf(text, source);
  const pieces: Child[] = [];
  let done = 0;
  // -1, for a span that was not found, is below every position that is done.
  for (const span of spans) {
    const from = places.findIndex((place) => place >= span.start && place < span.end);
    const after = places.findIndex((place, at) => at > from && place >= span.end);
    const to = after === -1 ? places.length : after;
    if (from < done || text.value.slice(from, to).trim() === '') continue;
    if (from > done) pieces.push({ type: 'text', value: text.value.slice(done, from) });
    const element: Element = {
      type: 'element',
      tagName: 'span',
      properties: {
        className: ['claim', `claim-${span.verdict}`],
        dataClaims: span.ids.join(' '),
      },
      children: [{ type: 'text', value: text.value.slice(from, to) }],
    };
    pieces.push(element);
    last.set(span, element);
    done = to;
  }
  if (pieces.length === 0) return [text];
  if (done < text.value.length) pieces.push({ type: 'text', value: text.value.slice(done) });
  return pieces;
}

function addButtons(parent: Parent, spans: ReadonlyMap<Child, ClaimSpan>): void {
  parent.children = parent.children.flatMap((child) => {
    const span = spans.get(child);
    if (child.type === 'element' && !span) addButtons(child, spans);
    if (!span) return [child];
    const properties = { dataClaims: span.ids.join(' ') };
    return [child, { type: 'element', tagName: 'button', properties, children: [] }];
  });
}
