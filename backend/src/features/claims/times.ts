/** A time of day in a text. */
export interface TimeValue {
  kind: 'time';
  /** Minutes since midnight: '2:30' may be in the afternoon. */
  readings: readonly number[];
  /** Of a time that may be a score or a ratio, '21:15'; null for one that words mark. */
  parts: readonly number[] | null;
}

const MINUTES = '[0-5]\\d';
const MARK = String.raw`(?:[ap]\.\s?m\.?|[ap]m|uhr|h|o[’']clock)(?!\p{L})`;
const TIMES = new RegExp(
  [
    // The T of an ISO date may stand before it.
    String.raw`(?<![\d.,:/])(?<!(?!T)\p{L})(?:(?<h1>\d{1,2}):(?<m1>${MINUTES})(?::${MINUTES})?(?![\d:]|[.,]\d)(?:\s?(?<mark1>${MARK}))?`,
    String.raw`(?<h2>\d{1,2})(?:\.(?<m2>${MINUTES}))?\s?(?<mark2>(?!h)${MARK})`,
    // '2–4 pm' begins in the afternoon too.
    String.raw`(?<h3>\d{1,2})(?:\.(?<m3>${MINUTES}))?(?=\s?(?:[-–—]|to|bis)\s?\d{1,2}(?:[:.]${MINUTES})?\s?(?!h)${MARK}))`,
  ].join('|'),
  'giu',
);

/**
 * The times of a text, and where their numbers begin.
 * @param isEnglish whether 'am' without dots is no word
 */
export function timesIn(
  text: string,
  isEnglish: boolean,
): { times: TimeValue[]; starts: ReadonlySet<number> } {
  const times: TimeValue[] = [];
  const starts = new Set<number>();
  for (const { 0: found, index, groups = {} } of text.matchAll(TIMES)) {
    const pick = (name: string) =>
      [1, 2, 3].map((at) => groups[`${name}${at}`]).find((one) => one !== undefined);
    const [written = '', minutes = '0', mark = ''] = ['h', 'm', 'mark'].map(pick);
    const [hour, minute] = [Number(written), Number(minutes)];
    if (hour > 24 || (mark === 'am' && !isEnglish)) continue;
    const isBare = mark === '' && groups['h1'] !== undefined;
    times.push({
      kind: 'time',
      readings: hoursOf(written, mark.toLowerCase()).map((one) => (one % 24) * 60 + minute),
      parts: isBare ? [hour, minute] : null,
    });
    for (const digits of found.matchAll(/\d+/g)) starts.add(index + digits.index);
  }
  return { times, starts };
}

/** The hours of the day that a written hour may be. */
function hoursOf(written: string, mark: string): number[] {
  const hour = Number(written);
  if (hour > 12 || written.startsWith('0')) return [hour];
  if (mark.startsWith('p')) return [(hour % 12) + 12];
  return mark.startsWith('a') ? [hour % 12] : [hour, (hour % 12) + 12];
}

export const isSameTime = (claimed: TimeValue, found: TimeValue): boolean =>
  claimed.readings.some((reading) => found.readings.includes(reading));
