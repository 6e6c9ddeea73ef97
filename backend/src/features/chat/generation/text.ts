/** A piece of text and where it belongs, in UTF-16 code units from the start. */
export interface Piece {
  offset: number;
  delta: string;
}

/**
 * Puts pieces together behind `text`. Overlaps are cut, what is known already is skipped; a piece that leaves a gap
 * ends it, since nothing after a gap can be placed.
 */
export function joinPieces(text: string, pieces: Iterable<Piece>): string {
  let whole = text;
  for (const { offset, delta } of pieces) {
    if (offset > whole.length) break;
    whole += delta.slice(whole.length - offset);
  }
  return whole;
}

const isHighSurrogate = (unit: number) => unit >= 0xd800 && unit <= 0xdbff;

/** The end of the last whole character: a pair that is cut in two does not survive UTF-8. */
export function wholeCharacters(text: string): number {
  return isHighSurrogate(text.charCodeAt(text.length - 1)) ? text.length - 1 : text.length;
}
