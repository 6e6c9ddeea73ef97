/**
 * UTF-16 code units that are segmented at once, because `Intl.Segmenter` copies its whole input into every segment. A longer segment is
 * cut.
 */
const CHUNK = { grapheme: 500, word: 500, sentence: 4_000 };
/** The end of a segment may depend on this number of following code units. */
const LOOKAHEAD = 100;

interface Segment {
  segment: string;
  index: number;
  isWordLike: boolean;
}

/** The segments of a text as a generator, in linear time. */
export function* segmentsOf(segmenter: Intl.Segmenter, text: string): Generator<Segment> {
  const chunk =
    text.length > LOOKAHEAD ? CHUNK[segmenter.resolvedOptions().granularity] : LOOKAHEAD;
  for (let from = 0; from < text.length; ) {
    const end = chunkEnd(text, from + chunk);
    let next = end;
    for (const { segment, index, isWordLike = false } of segmenter.segment(text.slice(from, end))) {
      const isSure = end >= text.length || from + index + segment.length <= end - LOOKAHEAD;
      if (index > 0 && !isSure) {
        next = from + index;
        break;
      }
      yield { segment, index: from + index, isWordLike };
    }
    from = next;
  }
}

/** Not within a surrogate pair. */
const chunkEnd = (text: string, end: number): number =>
  /[\uD800-\uDBFF]/.test(text.charAt(end - 1)) ? end + 1 : end;
