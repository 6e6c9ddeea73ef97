import type { ReplyPart } from '../../../contract/messages.ts';
import type { DeltaText } from '../../../contract/replies.ts';
import { authorOf } from '../../../contract/reply-text.ts';

/** The stored form of a reply's text: `parts` only when it is more than one text part. */
export interface StoredText {
  content: string;
  parts?: ReplyPart[];
}

export const partsOf = ({ content, parts }: StoredText): ReplyPart[] => {
  if (parts && parts.length > 0) return parts.map((part) => copyOf(part, part.text));
  return content === '' ? [] : [{ type: 'text', text: content }];
};

const copyOf = (
  part: Pick<ReplyPart, 'type' | 'personaId' | 'personaName'>,
  text: string,
): ReplyPart => ({
  type: part.type,
  text,
  ...authorOf(part),
});

/** The stored form of `parts`. */
export function storedText(parts: readonly ReplyPart[]): StoredText {
  const content = parts.map(({ type, text }) => (type === 'text' ? text : '')).join('');
  const [first] = parts;
  const isPlain =
    !first || (parts.length === 1 && first.type === 'text' && first.personaId === undefined);
  return isPlain ? { content } : { content, parts: partsOf({ content, parts: [...parts] }) };
}

/** In UTF-16 code units over all parts, the unit of offsets. */
export const lengthOf = (parts: readonly ReplyPart[]): number =>
  parts.reduce((sum, { text }) => sum + text.length, 0);

/** The first `length` code units. */
export function cutParts(parts: readonly ReplyPart[], length: number): ReplyPart[] {
  let room = length;
  const kept: ReplyPart[] = [];
  for (const part of parts) {
    if (room <= 0) break;
    kept.push(copyOf(part, part.text.slice(0, room)));
    room -= part.text.length;
  }
  return kept;
}

/** The text after the first `from` code units, as one delta per part. */
export function deltasFrom(parts: readonly ReplyPart[], from: number): DeltaText[] {
  const deltas: DeltaText[] = [];
  let start = 0;
  for (const [part, { type, text, ...author }] of parts.entries()) {
    const have = Math.max(0, from - start);
    if (have < text.length)
      deltas.push({ part, type, ...author, offset: start + have, delta: text.slice(have) });
    start += text.length;
  }
  return deltas;
}

/**
 * Appends deltas to `parts`. Overlaps are sliced and known text is skipped. A gap in the text or in the part numbers ends the delta list,
 * because nothing after a gap can be placed.
 */
export function joinDeltas(parts: readonly ReplyPart[], deltas: Iterable<DeltaText>): ReplyPart[] {
  const whole = withoutTornEnd(parts);
  let length = lengthOf(whole);
  for (const { part, offset, delta, ...kind } of deltas) {
    const known = length - offset;
    if (known < 0 || part > whole.length) break;
    const added = delta.slice(known);
    if (added === '') continue;
    const last = whole[part];
    if (last && part < whole.length - 1) break;
    if (last) last.text += added;
    else whole.push(copyOf(kind, added));
    length += added.length;
  }
  return whole;
}

/**
 * A stored text that was cut inside a surrogate pair ends in U+FFFD, which is one code unit like the half it replaced. Without it, the
 * delta with the pair can be placed.
 */
function withoutTornEnd(parts: readonly ReplyPart[]): ReplyPart[] {
  return cutParts(parts, lengthOf(parts) - (parts.at(-1)?.text.endsWith('\uFFFD') ? 1 : 0));
}

/** Splits off a trailing first half of a surrogate pair. */
export function splitWhole(text: string): { whole: string; half: string } {
  const end = /[\uD800-\uDBFF]$/.test(text) ? text.length - 1 : text.length;
  // With the u flag a pair is one character, so this matches only unpaired halves.
  const whole = text.slice(0, end).replace(/\p{Surrogate}/gu, '\uFFFD');
  return { whole, half: text.slice(end) };
}
